"""How datafit + penalty is made small, and how we know it is."""
