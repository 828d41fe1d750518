@_exported public import Timers
