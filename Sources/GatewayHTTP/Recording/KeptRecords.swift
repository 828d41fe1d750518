import EventIO
import GatewayCore

/// The last failed and the last slow requests of a loop, for operators. Confined to the loop.
final class KeptRecords {
    /// How many there are of each kind.
    static let count = 64
    /// The longest line that is kept.
    static let longestLine = 65_536
    /// A request that is like a kept one is counted with it for so long.
    static let repeatTime = TimeAmount.milliseconds(100)

    /// Requests with equal ones are alike.
    struct Key: Equatable {
        let route: String
        /// The part that failed first, or that the slow request waited for.
        let part: String?
        /// Why it failed, or the phase.
        let reason: String
        let isFailure: Bool

        init(route: String, reason: String) {
            self.route = route
            part = nil
            self.reason = reason
            isFailure = true
        }

        init(_ summary: borrowing RequestSummary, _ calls: RecordedCalls, isFailure: Bool) {
            route = summary.route ?? RouteLabel.none
            self.isFailure = isFailure
            if isFailure {
                let failed = calls.parts.first { $0.failure != nil }
                part = failed?.name
                reason = failed?.failure?.reason.token ?? summary.code
            } else {
                part = calls.slow?.part
                reason = calls.slow?.phase.rawValue ?? ""
            }
        }
    }

    struct Record {
        /// Rises by one from one record of the loop to the next.
        let number: Int
        let key: Key
        let time: MonotonicTime
        let requestID: String
        let traceID: String?
        /// A line of the access log in JSON, without its line feed.
        let line: [UInt8]
        /// Requests like it that are not kept.
        var repeats = 0
    }

    private struct Ring {
        var records: [Record] = []
        /// Where the oldest record is, once the ring is full.
        var oldest = 0

        mutating func keep(_ record: Record) {
            guard records.count == KeptRecords.count else { return records.append(record) }
            records[oldest] = record
            oldest = (oldest + 1) % KeptRecords.count
        }

        var inOrder: [Record] { Array(records[oldest...] + records[..<oldest]) }

        /// Returns false if a record like it has just been kept, and counts it there.
        mutating func begins(_ key: Key, at now: MonotonicTime) -> Bool {
            for step in 1...max(1, records.count) where !records.isEmpty {
                let index = (oldest + records.count - step) % records.count
                guard now - records[index].time < KeptRecords.repeatTime else { return true }
                if records[index].key == key {
                    records[index].repeats += 1
                    return false
                }
            }
            return true
        }
    }

    private var failed = Ring()
    private var slow = Ring()
    private var next = 0

    /// Returns whether a request is to be kept: unless one like it has just been.
    func begins(_ key: Key, at now: MonotonicTime) -> Bool {
        key.isFailure ? failed.begins(key, at: now) : slow.begins(key, at: now)
    }

    func keep(_ line: [UInt8], _ key: Key, _ summary: borrowing RequestSummary, at now: MonotonicTime) {
        var trace: String?
        summary.withTraceID { trace = String(decoding: $0, as: UTF8.self) }
        keep(line, key, summary.requestID, trace, at: now)
    }

    func keep(_ line: [UInt8], _ key: Key, requestID: ArraySlice<UInt8>?, at now: MonotonicTime) {
        keep(line, key, requestID.map { String(decoding: $0, as: UTF8.self) } ?? "", nil, at: now)
    }

    private func keep(
        _ line: [UInt8], _ key: Key, _ requestID: String, _ traceID: String?, at now: MonotonicTime
    ) {
        guard line.count <= Self.longestLine else { return }
        let record = Record(
            number: next, key: key, time: now, requestID: requestID, traceID: traceID,
            line: line.last == UInt8(ascii: "\n") ? Array(line.dropLast()) : line)
        next += 1
        if key.isFailure { failed.keep(record) } else { slow.keep(record) }
    }

    /// The oldest first.
    var all: (failed: [Record], slow: [Record]) { (failed.inOrder, slow.inOrder) }
}
