"""The wire: implementations in any language, asked over standard input and output by lines of JSON."""
