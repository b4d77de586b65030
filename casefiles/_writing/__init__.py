"""How the sample packs are written: clause stock, agreements, instruments and the three file formats."""
