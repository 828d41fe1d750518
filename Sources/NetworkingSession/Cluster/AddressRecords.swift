import EventIO
import Locking

/// The records of addresses, which all loops share.
///
/// A record ends with its last user, unless its address is out of service or has not succeeded since. So a
/// short absence from DNS, or new certificates, do not bring a broken address back.
final class AddressRecords: Sendable {
    private struct Entry: Sendable {
        let record: AddressRecord
        var users = 0
    }

    private struct State: Sendable {
        var entries: [String: Entry] = [:]
        /// Number of entries at which those without users are removed, except for ejected addresses.
        var limit = 64
    }

    private let state = Lock(State())

    /// Returns the record of an address of an upstream. Call `release` once for it.
    ///
    /// - Parameters:
    ///   - key: the upstream, the origin and the address.
    ///   - text: the address for logs.
    ///   - addedAt: when the address was added, if the record is new.
    func retain(_ key: String, _ text: String, addedAt: MonotonicTime?) -> AddressRecord {
        let now = MonotonicTime.clock()
        return state.withLock { state in
            if state.entries[key] == nil, state.entries.count >= state.limit {
                state.entries = state.entries.filter {
                    $0.value.users > 0 || $0.value.record.state(at: now) == .ejected
                }
                state.limit = max(64, 2 * state.entries.count)
            }
            var entry = state.entries[key] ?? Entry(record: AddressRecord(text, addedAt: addedAt))
            entry.users += 1
            state.entries[key] = entry
            return entry.record
        }
    }

    func release(_ key: String) {
        let now = MonotonicTime.clock()
        state.withLock { state in
            guard var entry = state.entries[key] else { return }
            entry.users -= 1
            state.entries[key] = entry.users > 0 || !entry.record.isSound(at: now) ? entry : nil
        }
    }

    var count: Int { state.withLock { $0.entries.count } }
}

extension AddressRecord {
    /// Whether a new record would say the same.
    fileprivate func isSound(at now: MonotonicTime) -> Bool { isInService(at: now) && !awaitsSuccess }
}
