"""What an avatar costs of pictures that nobody made for facecrop: library, command and batch, beside full decodes."""
