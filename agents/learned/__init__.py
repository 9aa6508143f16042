"""An agent that learns by self-play: masked PPO on the batched environment, in PyTorch."""
