"""What is right: messages and deltas, dialects and policies, the grammar of outputs, two independent readers."""
