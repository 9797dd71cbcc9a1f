"""Result → plain dictionary → one self-contained HTML file."""
