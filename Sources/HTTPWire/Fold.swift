import ASCIIText
import HTTPModel

/// Line folding within field values (RFC 9112 5.2): `OWS CRLF RWS`, which recipients of responses replace by
/// spaces.
enum Fold {
    /// Replaces each fold by as many spaces. Values contain no other CR or LF.
    static func removeAll(from storage: inout FieldStorage) {
        for index in 0..<storage.count
        where storage.bytes[storage.entry(index).value].contains(Byte.carriageReturn) {
            storage.overwrite(valueAt: index, remove)
        }
    }

    /// Returns a copy without folds.
    static func unfolded(_ value: UnsafeRawBufferPointer) -> [UInt8] {
        var copy = Array(value)
        copy.withUnsafeMutableBytes(remove)
        return copy
    }

    private static func remove(_ value: UnsafeMutableRawBufferPointer) {
        var index = 0
        while index < value.count {
            guard value[index] == Byte.carriageReturn else {
                index += 1
                continue
            }
            var start = index
            while start > 0, ASCII.isBlank(value[start - 1]) { start -= 1 }
            while index < value.count, isFold(value[index]) { index += 1 }
            for place in start..<index { value[place] = Byte.space }
        }
    }

    private static func isFold(_ byte: UInt8) -> Bool {
        ASCII.isBlank(byte) || byte == Byte.carriageReturn || byte == Byte.lineFeed
    }
}
