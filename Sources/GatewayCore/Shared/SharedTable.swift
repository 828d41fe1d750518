import FoundationEssentials
import Rx

/// A call of a loading closure, whose result all that wait for it get.
final class SharedFlight<Value: Sendable>: Sendable {
    let result = AsyncSubject<Value>()
}

/// Which values are kept, and what is loaded. The time is a parameter.
struct SharedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// What a request for a value gets.
    enum Lookup: Sendable {
        case value(Value)
        /// The old value. The caller begins the flight, which loads a new one.
        case staleValue(Value, SharedFlight<Value>)
        /// The value of a flight in progress.
        case flight(SharedFlight<Value>)
        /// The value of a flight that the caller begins.
        case newFlight(SharedFlight<Value>)
        /// Nothing, because too many flights are in progress.
        case refused
    }

    struct Entry: Sendable {
        let value: Value
        let loadedAt: RxTime
        /// After a failed load, when the next one may begin.
        var loadsAgainAt = RxTime.distantPast
        /// Counts requests for values.
        var lastUse: UInt64
    }

    /// The time after a failed load in which the old value is used without another load.
    static var pause: TimeInterval { 1 }

    private let lifetime: TimeInterval
    private let stale: TimeInterval
    private let limit: Int
    private var entries: [Key: Entry] = [:]
    private var flights: [Key: SharedFlight<Value>] = [:]
    private var uses: UInt64 = 0

    /// - Parameters:
    ///   - lifetime: how long a value is new.
    ///   - stale: for how much longer it is used while a new one is loaded.
    ///   - limit: the most values, and the most flights.
    init(lifetime: Duration, stale: Duration, limit: Int) {
        self.lifetime = lifetime / .seconds(1)
        self.stale = stale / .seconds(1)
        self.limit = max(1, limit)
    }

    var count: Int { entries.count }

    /// Somebody asks for a value.
    mutating func requested(_ key: Key, at now: RxTime) -> Lookup {
        if let entry = entries[key] {
            let age = now.timeIntervalSince(entry.loadedAt)
            if age < lifetime + stale {
                uses += 1
                entries[key]?.lastUse = uses
                guard age >= lifetime, now >= entry.loadsAgainAt, flights[key] == nil, flights.count < limit
                else { return .value(entry.value) }
                return .staleValue(entry.value, newFlight(key))
            }
        }
        if let flight = flights[key] { return .flight(flight) }
        return flights.count < limit ? .newFlight(newFlight(key)) : .refused
    }

    private mutating func newFlight(_ key: Key) -> SharedFlight<Value> {
        let flight = SharedFlight<Value>()
        flights[key] = flight
        return flight
    }

    /// A flight has a value. Returns the entries to release, outside of the lock.
    mutating func loaded(_ value: Value, _ key: Key, by flight: SharedFlight<Value>, at now: RxTime)
        -> [Entry]
    {
        // Not a flight that has been forgotten, or has taken too long.
        guard flights[key] === flight else { return [] }
        flights[key] = nil
        uses += 1
        var released: [Entry] = []
        if let old = entries.updateValue(Entry(value: value, loadedAt: now, lastUse: uses), forKey: key) {
            released.append(old)
        }
        if entries.count > limit { released += evict(at: now) }
        return released
    }

    /// Removes the values that are too old. Without such values, removes an eighth of all, so that the order
    /// is seldom needed: the values that were not asked for in the longest time.
    private mutating func evict(at now: RxTime) -> [Entry] {
        var leaving = entries.filter { now.timeIntervalSince($0.value.loadedAt) >= lifetime + stale }
        if leaving.isEmpty {
            let byUse = entries.sorted { $0.value.lastUse < $1.value.lastUse }
            for (key, entry) in byUse.prefix(max(1, limit / 8)) { leaving[key] = entry }
        }
        for key in leaving.keys { entries[key] = nil }
        return Array(leaving.values)
    }

    /// A flight has failed. Returns whether an old value stays in use that has not been loaded again in vain
    /// before.
    mutating func failed(_ key: Key, _ flight: SharedFlight<Value>, at now: RxTime) -> Bool {
        guard flights[key] === flight else { return false }
        flights[key] = nil
        guard let entry = entries[key], now.timeIntervalSince(entry.loadedAt) < lifetime + stale else {
            return false
        }
        entries[key]?.loadsAgainAt = now.addingTimeInterval(Self.pause)
        return entry.loadsAgainAt == .distantPast
    }

    /// Forgets a value, and a flight that may bring an old one.
    mutating func forget(_ key: Key) -> Entry? {
        flights[key] = nil
        return entries.removeValue(forKey: key)
    }
}
