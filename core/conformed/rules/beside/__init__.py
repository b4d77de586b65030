"""What stands beside a result and never changes it: waivers with a ceiling, cures, late papers (rule book PR-44 to PR-46)."""
