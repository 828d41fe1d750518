import ASCIIText
import FoundationEssentials
@_spi(Reading) import JSONBytes

extension ValueDecoder {
    func bool() throws -> Bool {
        let first = firstByte
        guard first == Byte.t || first == Byte.f else { throw mismatch(Bool.self) }
        node.text.setEnd(of: position, position &+ (first == Byte.t ? 4 : 5))
        return first == Byte.t
    }

    /// - Parameter type: The type that an error names.
    @inline(__always)
    func string(_ type: any Any.Type) throws -> String {
        guard firstByte == Byte.quote else { throw mismatch(type) }
        let reader = node.text.reader
        let start = position &+ 1
        if let end = reader.closingQuote(at: start) {
            node.text.setEnd(of: position, end &+ 1)
            return reader.string(start..<end)
        }
        return longString()
    }

    @inline(never)
    private func longString() -> String {
        var cursor = ValidCursor(node.text.reader, at: position)
        let isEscaped = cursor.skipString()
        node.text.setEnd(of: position, cursor.index)
        return node.text.reader.text(position &+ 1..<cursor.index &- 1, isEscaped: isEscaped)
    }

    // MARK: Numbers

    private var isNumber: Bool {
        @inline(__always) get {
            let first = firstByte
            return ASCII.isDigit(first) || first == Byte.minus
        }
    }

    @inline(__always)
    func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws -> Value {
        guard isNumber else { throw mismatch(type) }
        let number = ParsedNumber(node.text.reader, at: position)
        guard number.isInteger else { return try rareInteger(type) }
        node.text.setEnd(of: position, number.end)
        if number.isNegative {
            if let value = Value(exactly: number.mantissa), Value.isSigned { return 0 &- value }
            // `Value.min` has no positive counterpart. An unsigned type can only hold -0.
            if let value = Value(exactly: 0 - Int128(number.mantissa)) { return value }
        } else if let value = Value(exactly: number.mantissa) {
            return value
        }
        throw doesNotFit(type)
    }

    /// Decodes an integer with many digits, a point or an exponent, like `2.0` and `2e1`.
    @inline(never)
    private func rareInteger<Value: FixedWidthInteger>(_ type: Value.Type) throws -> Value {
        guard let digits = IntegerText.digits(of: numberText()), let value = Value(digits) else {
            throw doesNotFit(type)
        }
        return value
    }

    @inline(__always)
    func floatingPoint<Value: DecodableFloatingPoint>(_ type: Value.Type) throws -> Value {
        guard isNumber else { return try nonConforming(type) }
        let number = ParsedNumber(node.text.reader, at: position)
        if let value = Value(number) {
            node.text.setEnd(of: position, number.end)
            return value
        }
        return try rareFloatingPoint(type)
    }

    @inline(never)
    private func rareFloatingPoint<Value: DecodableFloatingPoint>(_ type: Value.Type) throws -> Value {
        let text = numberText()
        guard let value = Value(text), value.isFinite,
            value != 0
                || !text.utf8.prefix(while: { $0 | 0x20 != UInt8(ascii: "e") }).contains(where: {
                    ASCII.isDigit($0) && $0 != Byte.zero
                })
        else { throw doesNotFit(type) }
        return value
    }

    @inline(never)
    private func nonConforming<Value: DecodableFloatingPoint>(_ type: Value.Type) throws -> Value {
        if case .convertFromString(let positive, let negative, let nan) =
            document.settings.nonConformingFloatDecodingStrategy
        {
            switch try string(type) {
            case positive: return .infinity
            case negative: return -.infinity
            case nan: return .nan
            default: break
            }
        }
        throw mismatch(type)
    }

    private func numberText() -> String {
        var cursor = ValidCursor(node.text.reader, at: position)
        cursor.skipValue()
        node.text.setEnd(of: position, cursor.index)
        return node.text.reader.string(position..<cursor.index)
    }

    @inline(never)
    private func doesNotFit(_ type: any Any.Type) -> DecodingError {
        corrupted("The number \(numberText()) does not fit in \(type).")
    }

    // MARK: Foundation's types

    func date() throws -> Date {
        guard !isNull else { throw mismatch(Date.self) }
        switch document.settings.dateDecodingStrategy {
        case .deferredToDate:
            return Date(timeIntervalSinceReferenceDate: try seconds())
        case .secondsSince1970:
            return Date(timeIntervalSince1970: try seconds())
        case .millisecondsSince1970:
            return Date(timeIntervalSince1970: try seconds() / 1000)
        case .iso8601:
            let text = try string(String.self)
            if let seconds = InternetDate.seconds(of: text) { return Date(timeIntervalSince1970: seconds) }
            guard let date = try? Date.ISO8601FormatStyle().parse(text) else {
                throw corrupted("Expected date string to be ISO8601-formatted.")
            }
            return date
        case .custom(let decode): return try decode(self)
        @unknown default: return try Date(from: self)
        }
    }

    /// Rejects NaN, which `nonConformingFloatDecodingStrategy` may allow: Foundation stops the program when
    /// it prints such a date.
    private func seconds() throws -> Double {
        let seconds = try floatingPoint(Double.self)
        guard !seconds.isNaN else { throw corrupted("A date cannot be NaN.") }
        return seconds
    }

    func data() throws -> Data {
        guard !isNull else { throw mismatch(Data.self) }
        switch document.settings.dataDecodingStrategy {
        case .deferredToData: return try Data(from: self)
        case .base64:
            guard let data = Data(base64Encoded: try string(String.self)) else {
                throw corrupted("Encountered Data is not valid Base64.")
            }
            return data
        case .custom(let decode): return try decode(self)
        @unknown default: return try Data(from: self)
        }
    }

    func url() throws -> URL {
        guard !isNull else { throw mismatch(URL.self) }
        guard let url = URL(string: try string(String.self)) else { throw corrupted("Invalid URL string.") }
        return url
    }

    func decimal() throws -> Decimal {
        guard isNumber else { throw mismatch(Decimal.self) }
        guard let value = Decimal(string: numberText()) else { throw doesNotFit(Decimal.self) }
        return value
    }
}
