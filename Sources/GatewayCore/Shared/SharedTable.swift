import FoundationEssentials
import Rx

/// A call of a loading closure, whose result all that wait for it get.
final class SharedFlight<Value: Sendable>: Sendable {
    let result = AsyncSubject<Value>()
    /// The loop on which the closure runs.
    let scheduler: any SchedulerType

    init(on scheduler: any SchedulerType) { self.scheduler = scheduler }
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

    /// What a flight's failure means.
    enum Failure: Sendable {
        /// Nothing: the flight was over before.
        case wasOver
        /// Those who wait for the flight get it.
        case waited
        /// So do they, and an old value stays in use that has not been loaded again in vain before.
        case unseen
    }

    /// The most flights in progress whose values were forgotten meanwhile, beyond the limit.
    static var mostForgotten: Int { 16 }
    /// The time after a failed load in which the old value is used without another load.
    static var pause: TimeInterval { 1 }

    private let lifetime: TimeInterval
    private let stale: TimeInterval
    private let limit: Int
    private var entries: [Key: Entry] = [:]
    /// The flights that requests join.
    private var flights: [Key: SharedFlight<Value>] = [:]
    /// All flights in progress, also those whose values were forgotten.
    private var inProgress: Set<ObjectIdentifier> = []
    private var uses: UInt64 = 0

    /// - Parameters:
    ///   - lifetime: how long a value is new.
    ///   - stale: for how much longer it is used while a new one is loaded.
    ///   - limit: the most values, and the most flights that requests join.
    init(lifetime: Duration, stale: Duration, limit: Int) {
        self.lifetime = lifetime / .seconds(1)
        self.stale = stale / .seconds(1)
        self.limit = max(1, limit)
    }

    var count: Int { entries.count }

    /// Somebody asks for a value.
    ///
    /// - Parameter scheduler: the caller's loop.
    mutating func requested(_ key: Key, at now: RxTime, on scheduler: any SchedulerType) -> Lookup {
        if let entry = entries[key] {
            let age = now.timeIntervalSince(entry.loadedAt)
            if age < lifetime + stale {
                uses += 1
                entries[key]?.lastUse = uses
                guard age >= lifetime, now >= entry.loadsAgainAt, flights[key] == nil, hasRoom
                else { return .value(entry.value) }
                return .staleValue(entry.value, newFlight(key, on: scheduler))
            }
        }
        if let flight = flights[key] { return .flight(flight) }
        return hasRoom ? .newFlight(newFlight(key, on: scheduler)) : .refused
    }

    /// Whether another flight may begin.
    private var hasRoom: Bool {
        flights.count < limit && inProgress.count < limit + Self.mostForgotten
    }

    private mutating func newFlight(_ key: Key, on scheduler: any SchedulerType) -> SharedFlight<Value> {
        let flight = SharedFlight<Value>(on: scheduler)
        flights[key] = flight
        inProgress.insert(ObjectIdentifier(flight))
        return flight
    }

    /// Returns false if the flight has ended before.
    private mutating func end(_ flight: SharedFlight<Value>) -> Bool {
        inProgress.remove(ObjectIdentifier(flight)) != nil
    }

    /// A flight has a value. Returns the entries to release, outside of the lock; nil if the flight has taken
    /// too long.
    mutating func loaded(_ value: Value, _ key: Key, by flight: SharedFlight<Value>, at now: RxTime)
        -> [Entry]?
    {
        guard end(flight) else { return nil }
        // Its value was forgotten.
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

    /// A flight has failed.
    mutating func failed(_ key: Key, _ flight: SharedFlight<Value>, at now: RxTime) -> Failure {
        guard end(flight) else { return .wasOver }
        guard flights[key] === flight else { return .waited }
        flights[key] = nil
        guard let entry = entries[key], now.timeIntervalSince(entry.loadedAt) < lifetime + stale else {
            return .waited
        }
        entries[key]?.loadsAgainAt = now.addingTimeInterval(Self.pause)
        return entry.loadsAgainAt == .distantPast ? .unseen : .waited
    }

    /// Forgets a value, and a flight that may bring an old one.
    mutating func forget(_ key: Key) -> Entry? {
        flights[key] = nil
        return entries.removeValue(forKey: key)
    }
}
