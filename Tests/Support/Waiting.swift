// Whoever needs a peer also waits for it.
@_exported public import TestWaiting
