public import Crypto

/// The tokens that a loop has verified, with what the gateway knows of each.
///
/// Holds `capacity` tokens; the least recently used one makes room for a new one. Each operation takes
/// constant time, however many tokens there are. Only tokens with a valid signature go in, so strangers
/// cannot push out others.
public struct VerifiedTokens<Value> {
    /// How long a token is kept at most, in seconds: 5 minutes.
    public static var maxAge: Int64 { 300 }

    /// The most tokens. Default 4096.
    public let capacity: Int

    fileprivate struct Key: Hashable {
        let digest: SHA256Digest
        let keys: UInt64

        func hash(into hasher: inout Hasher) { hasher.combine(digest.words.0 ^ keys) }

        /// What a dictionary asks for: bytes as good as random, without the cost of hashing them.
        func _rawHashValue(seed: Int) -> Int { seed ^ Int(truncatingIfNeeded: digest.words.0 ^ keys) }
    }

    fileprivate struct Entry {
        var key: Key
        /// nil while the entry is free.
        var value: Value?
        /// When the token was verified, and when it is forgotten: seconds since 1970.
        var since: Int64
        var until: Int64
        /// Neighbours in the order of use; -1 for none. Free entries are linked by `older`.
        var newer: Int
        var older: Int
    }

    private var indices: [Key: Int] = [:]
    private var entries: [Entry] = []
    private var newest = -1
    private var oldest = -1
    private var firstFree = -1

    /// Creates an empty cache, which takes memory as it fills.
    ///
    /// - Precondition: `capacity` is at least 1.
    public init(capacity: Int = 4096) {
        precondition(capacity > 0, "a cache without room")
        self.capacity = capacity
    }

    /// The number of tokens, including expired ones that nobody has asked for.
    var count: Int { indices.count }

    /// Returns what is known of a token; nil if it is unknown, too old or expired.
    ///
    /// - Parameters:
    ///   - digest: the digest of the token's text.
    ///   - keys: a number that stands for the rules and the key set that verified the token. Whoever changes
    ///     either takes a new number, and the tokens of the old one are found no more.
    ///   - now: the wall clock, in seconds since 1970. If it was set back, tokens are verified again.
    public mutating func find(_ digest: SHA256Digest, keys: UInt64, at now: Int64) -> Value? {
        guard let index = indices[Key(digest: digest, keys: keys)] else { return nil }
        guard entries[index].since <= now, now < entries[index].until else {
            remove(index)
            return nil
        }
        if index != newest {
            unlink(index)
            linkNewest(index)
        }
        return entries[index].value
    }

    /// Keeps a verified token until it expires, and at most for `maxAge`. Replaces what was known of it.
    ///
    /// - Parameter until: the end of its validity, from `TokenVerdict.valid`.
    public mutating func insert(
        _ value: Value, for digest: SHA256Digest, keys: UInt64, until: Int64, at now: Int64
    ) {
        let key = Key(digest: digest, keys: keys)
        if let index = indices[key] { remove(index) }
        guard until > now else { return }
        if indices.count == capacity { remove(oldest) }
        let (age, isTooLarge) = now.addingReportingOverflow(Self.maxAge)
        let entry = Entry(
            key: key, value: value, since: now, until: isTooLarge ? until : min(until, age), newer: -1,
            older: -1)
        let index = place(entry)
        indices[key] = index
        linkNewest(index)
    }

    /// Forgets all tokens and frees the memory.
    public mutating func removeAll() {
        indices = [:]
        entries = []
        newest = -1
        oldest = -1
        firstFree = -1
    }

    // MARK: Entries

    /// Stores an entry in a free place, or behind the others.
    private mutating func place(_ entry: Entry) -> Int {
        guard firstFree >= 0 else {
            entries.append(entry)
            return entries.count - 1
        }
        let index = firstFree
        firstFree = entries[index].older
        entries[index] = entry
        return index
    }

    private mutating func remove(_ index: Int) {
        indices[entries[index].key] = nil
        unlink(index)
        entries[index].value = nil
        entries[index].older = firstFree
        firstFree = index
    }

    private mutating func unlink(_ index: Int) {
        let (newer, older) = (entries[index].newer, entries[index].older)
        if newer >= 0 { entries[newer].older = older } else { newest = older }
        if older >= 0 { entries[older].newer = newer } else { oldest = newer }
    }

    private mutating func linkNewest(_ index: Int) {
        entries[index].newer = -1
        entries[index].older = newest
        if newest >= 0 { entries[newest].newer = index } else { oldest = index }
        newest = index
    }
}

extension VerifiedTokens: Sendable where Value: Sendable {}
extension VerifiedTokens.Entry: Sendable where Value: Sendable {}
