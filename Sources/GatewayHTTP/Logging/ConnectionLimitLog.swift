import HTTPInbound

/// Logs what happens to clients at the connection limit.
typealias ConnectionLimitLog = CountedLog<ShedCounts>

extension ShedCounts: LogCounts {
    static var none: ShedCounts { ShedCounts() }
}

extension CountedLog<ShedCounts> {
    convenience init(_ log: Log, limit: Int) {
        self.init { counts in
            log.write(
                .warning, "connection limit reached",
                [
                    "limit": limit, "idleClosed": counts.idle,
                    "slowHeadsClosed": counts.slowHeads, "refused": counts.refused,
                ])
        }
    }
}
