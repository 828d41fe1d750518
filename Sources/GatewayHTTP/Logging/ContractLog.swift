import EventIO
import GatewayCore

/// Logs messages of upstream calls that break a contract: upstreams may send them at any rate.
typealias ContractLog = CountedLog<ContractCounts>

struct ContractCounts: LogCounts {
    var messages = 0
    /// The first of them, and the request that it was for.
    var first: BrokenContract?
    var requestID: String?

    static var none: ContractCounts { ContractCounts() }

    private init() {}

    init(_ broken: BrokenContract, requestID: String?) {
        messages = 1
        first = broken
        self.requestID = requestID
    }

    static func + (one: ContractCounts, other: ContractCounts) -> ContractCounts {
        var sum = one.first == nil ? other : one
        sum.messages = one.messages + other.messages
        return sum
    }
}

extension CountedLog<ContractCounts> {
    convenience init(_ log: Log) {
        self.init { counts in
            log.write(
                .warning, "contract broken",
                [
                    "count": counts.messages, "upstream": counts.first?.upstream,
                    "operation": counts.first?.operation, "side": counts.first?.side.rawValue,
                    "at": counts.first?.pointer, "keyword": counts.first?.keyword,
                    "schema": counts.first?.schema,
                    "check": counts.first.map { $0.isEnforced ? "enforce" : "report" },
                    "request": counts.requestID,
                ])
        }
    }
}
