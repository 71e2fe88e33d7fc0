"""The certificate: a script of the whole search that others can check (docs/formats/certificate.md)."""
