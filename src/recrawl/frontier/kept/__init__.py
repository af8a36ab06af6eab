"""What the frontier keeps beside scheduler, learner and URLs."""
