"""The `Learner`: parameters of pages while they are crawled."""
