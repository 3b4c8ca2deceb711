"""Version of the package, the same as the control plane's. The release script reads it from here."""

VERSION = "0.1.0"
