"""What each application brings: request, record, and how a run of it is done again. Whoever handles runs of any kind asks here."""
