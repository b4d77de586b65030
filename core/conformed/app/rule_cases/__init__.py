"""Rule cases as data: files of patterns, packs and calculations, run through the product and compared field by field."""
