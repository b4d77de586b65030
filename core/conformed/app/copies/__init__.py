"""The conformed copy on paper: text, page, Word document, and the difference of two of them."""
