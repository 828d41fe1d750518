import ASCIIText
import HTTPModel

/// Writes bytes into 1 KiB of stack memory and continues in an array when it is full. Short output, such as
/// nearly every request target, costs one allocation of the right size.
///
/// Sound: every write checks the end of the memory, and only `collect`, which owns it, creates a
/// `ByteWriter`.
struct ByteWriter: ~Copyable {
    private static var size: Int { 1024 }

    private let memory: UnsafeMutableRawPointer
    private var used = 0
    private var spilled: [UInt8] = []

    private init(_ memory: UnsafeMutableRawPointer) {
        self.memory = memory
    }

    /// Returns the bytes that `body` writes.
    static func collect<Failure: Error>(
        _ body: (inout ByteWriter) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        let written = withUnsafeTemporaryAllocation(of: UInt64.self, capacity: size / 8) {
            words -> Result<[UInt8], Failure> in
            guard let start = words.baseAddress else { return .success([]) }
            var bytes = ByteWriter(UnsafeMutableRawPointer(start))
            do throws(Failure) {
                try body(&bytes)
            } catch {
                return .failure(error)
            }
            return .success(bytes.finish())
        }
        return try written.get()
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        if used == Self.size { spill() }
        memory.storeBytes(of: byte, toByteOffset: used, as: UInt8.self)
        used &+= 1
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if bytes.count > Self.size &- used {
            spill()
            guard bytes.count <= Self.size else { return spilled.append(contentsOf: bytes) }
        }
        guard let source = bytes.baseAddress else { return }
        (memory + used).copyMemory(from: source, byteCount: bytes.count)
        used &+= bytes.count
    }

    mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    mutating func append(_ text: String) {
        text.withBytes { append($0) }
    }

    /// Appends text and percent-encodes everything except RFC 3986's unreserved set and what `escaping`
    /// keeps.
    mutating func append(encoding text: String, _ escaping: Escaping) {
        text.withBytes { if !appendPlain($0) { append(encoding: $0, escaping) } }
    }

    /// Appends 4 to 16 alphanumeric bytes, the common case, in two words. Otherwise appends nothing and
    /// returns false.
    @inline(__always)
    private mutating func appendPlain(_ source: UnsafeRawBufferPointer) -> Bool {
        let count = source.count
        guard count >= 4, count <= 16, count <= Self.size &- used else { return false }
        let destination = memory + used
        // The second word overlaps the first.
        if count >= 8 {
            let first = source.loadUnaligned(as: UInt64.self)
            let last = source.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
            guard ASCII.areAlphanumeric(first), ASCII.areAlphanumeric(last) else { return false }
            destination.storeBytes(of: first, as: UInt64.self)
            destination.storeBytes(of: last, toByteOffset: count &- 8, as: UInt64.self)
        } else {
            let first = source.loadUnaligned(as: UInt32.self)
            let last = source.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
            guard ASCII.areAlphanumeric(UInt64(first) | UInt64(last) &<< 32) else { return false }
            destination.storeBytes(of: first, as: UInt32.self)
            destination.storeBytes(of: last, toByteOffset: count &- 4, as: UInt32.self)
        }
        used &+= count
        return true
    }

    private mutating func append(encoding source: UnsafeRawBufferPointer, _ escaping: Escaping) {
        for byte in source {
            if ASCII.isUnreserved(byte) {
                append(byte)
            } else if escaping.spaceAsPlus, byte == UInt8(ascii: " ") {
                append(UInt8(ascii: "+"))
            } else if escaping.keepsSlashes, byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") {
                append(byte)
            } else {
                append(UInt8(ascii: "%"))
                append(ASCII.hexDigit(byte >> 4))
                append(ASCII.hexDigit(byte & 15))
            }
        }
    }

    private mutating func spill() {
        spilled.append(contentsOf: written)
        used = 0
    }

    private var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: used) }

    private mutating func finish() -> [UInt8] {
        if spilled.isEmpty { return [UInt8](written) }
        spill()
        return spilled
    }
}

/// What stays unencoded in a name or value besides RFC 3986's unreserved set.
struct Escaping: Sendable, Hashable {
    let spaceAsPlus: Bool
    /// Whether to keep `/` and `?`, which RFC 3986 3.4 allows in a query.
    let keepsSlashes: Bool

    static let query = Escaping(spaceAsPlus: false, keepsSlashes: true)
}

extension String {
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let bytes = utf8.span
        return bytes.withUnsafeBytes { body($0) }
    }
}
