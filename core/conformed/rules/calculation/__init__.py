"""From a certificate to an exact ratio and its comparison: the closed expression language, periods, add-backs, conversion (section 4)."""
