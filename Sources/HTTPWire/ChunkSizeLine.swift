import ASCIIText
import HTTPModel

/// Scans a chunk's first line, `chunk-size [ chunk-ext ] CRLF` (RFC 9112 7.1).
struct ChunkSizeLine: LineScanner {
    private(set) var size = 0
    private(set) var extensionBytes = 0
    private let extensionLimit: Int

    init(extensionLimit: Int) {
        self.extensionLimit = min(extensionLimit, ChunkLimits.extensionBytesPerLine)
    }

    mutating func scan(_ bytes: UnsafeRawBufferPointer, position: inout Int) throws(WireFault) -> Bool {
        var value: UInt64 = 0
        var index = 0
        while index < bytes.count, let digit = ASCII.hexValue(bytes[index]) {
            guard index < ChunkLimits.sizeDigits else { throw .chunkSize }
            value = value << 4 | UInt64(digit)
            guard value <= UInt64(Int.max) else { throw .chunkTooLarge }
            index += 1
        }
        guard index < bytes.count else { return false }
        guard index > 0 else { throw .chunkSize }
        guard let end = try extensionEnd(bytes, from: index) else { return false }
        guard end + 1 < bytes.count else { return false }
        guard bytes[end + 1] == Byte.lineFeed else { throw .bareCarriageReturn }
        size = Int(value)
        extensionBytes = end - index
        position = end + 2
        return true
    }

    private enum State {
        case beforeSemicolon, beforeName, name, afterName, beforeValue, value, quoted, escaped, afterQuote
    }

    /// Returns the index of the CR after `*( BWS ";" BWS name [ BWS "=" BWS value ] )`; nil if it has not
    /// arrived.
    private func extensionEnd(_ bytes: UnsafeRawBufferPointer, from start: Int) throws(WireFault) -> Int? {
        if bytes[start] == Byte.carriageReturn { return start }
        guard bytes[start] == Byte.semicolon || ASCII.isBlank(bytes[start]) else {
            throw bytes[start] == Byte.lineFeed ? .bareLineFeed : .chunkSize
        }
        var state = State.beforeSemicolon
        for index in start..<bytes.count {
            let byte = bytes[index]
            if byte == Byte.carriageReturn, state == .name || state == .value || state == .afterQuote {
                return index
            }
            guard index - start < extensionLimit else { throw .chunkExtensionTooLong }
            state = try Self.state(after: byte, in: state)
        }
        return nil
    }

    private static func state(after byte: UInt8, in state: State) throws(WireFault) -> State {
        if byte == Byte.lineFeed { throw .bareLineFeed }
        switch (state, byte) {
        case (.beforeSemicolon, Byte.semicolon), (.name, Byte.semicolon), (.afterName, Byte.semicolon),
            (.value, Byte.semicolon), (.afterQuote, Byte.semicolon):
            return .beforeName
        case (.name, Byte.equals), (.afterName, Byte.equals): return .beforeValue
        case (.beforeValue, Byte.quote): return .quoted
        case (.quoted, Byte.quote): return .afterQuote
        case (.quoted, Byte.backslash): return .escaped
        case (.beforeSemicolon, _) where ASCII.isBlank(byte): return .beforeSemicolon
        case (.beforeName, _) where ASCII.isBlank(byte): return .beforeName
        case (.name, _) where ASCII.isBlank(byte), (.afterName, _) where ASCII.isBlank(byte):
            return .afterName
        case (.beforeValue, _) where ASCII.isBlank(byte): return .beforeValue
        case (.value, _) where ASCII.isBlank(byte), (.afterQuote, _) where ASCII.isBlank(byte):
            return .beforeSemicolon
        case (.beforeName, _) where ASCII.isTokenByte(byte), (.name, _) where ASCII.isTokenByte(byte):
            return .name
        case (.beforeValue, _) where ASCII.isTokenByte(byte), (.value, _) where ASCII.isTokenByte(byte):
            return .value
        case (.quoted, _) where ASCII.isFieldByte(byte), (.escaped, _) where ASCII.isFieldByte(byte):
            return .quoted
        default: throw .chunkExtension
        }
    }
}
