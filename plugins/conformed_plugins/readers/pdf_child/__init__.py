"""What runs in the child process: everything that touches the bytes of a PDF.

The parent (``pdf.py``, ``pdf_process.py``) never parses a PDF itself. The child is started by file path with relative
imports only, so that it loads neither pydantic nor the rest of the product: it starts in well under a tenth of a second.
"""
