"""Where the parts meet: workspace, the service face, and the shapes in which a decision is shown."""
