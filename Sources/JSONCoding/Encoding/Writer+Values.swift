import FoundationEssentials
@_spi(Lines) import JSONBytes

extension Writer {
    /// Writes a value of a type with its own format. Returns false for other types.
    func writeKnown<Value: Encodable>(_ value: Value) throws -> Bool {
        if let value = known(value, as: Double.self) {
            try write(floatingPoint: value)
        } else if let value = known(value, as: String.self) {
            write(text: value)
        } else if let value = known(value, as: Int.self) {
            write(integer: value)
        } else if let value = known(value, as: Date.self) {
            try write(value)
        } else if let value = known(value, as: Data.self) {
            try write(value)
        } else if let value = known(value, as: URL.self) {
            write(text: value.absoluteString)
        } else if let value = known(value, as: Decimal.self) {
            guard !value.isNaN else { throw notANumber(value) }
            line.plain(value.description)
        } else {
            if case .useDefaultKeys = settings.keyEncodingStrategy { return false }
            if Value.self is any StringKeyedDictionary.Type { nextObjectIsPlain() }
            return false
        }
        return true
    }

    @inline(__always)
    private func known<Value, Known>(_ value: Value, as type: Known.Type) -> Known? {
        Value.self == type ? value as? Known : nil
    }

    private func write(_ date: Date) throws {
        switch settings.dateEncodingStrategy {
        case .deferredToDate: try write(floatingPoint: date.timeIntervalSinceReferenceDate)
        case .secondsSince1970: try write(seconds: date.timeIntervalSince1970)
        case .millisecondsSince1970: try write(seconds: 1000 * date.timeIntervalSince1970)
        case .iso8601:
            if let text = InternetDate.text(date.timeIntervalSince1970) {
                line.constant("\"")
                text.withUnsafeBufferPointer { line.plain($0) }
                line.constant("\"")
            } else {
                write(text: Date.ISO8601FormatStyle().format(date))
            }
        case .custom(let encode): try write { encoder in try encode(date, encoder) }
        @unknown default: try write { encoder in try date.encode(to: encoder) }
        }
    }

    /// Like Foundation, throws for infinities and NaN even if a strategy has strings for them.
    private func write(seconds: Double) throws {
        guard seconds.isFinite else { throw notANumber(seconds) }
        try write(floatingPoint: seconds)
    }

    private func write(_ data: Data) throws {
        switch settings.dataEncodingStrategy {
        case .deferredToData: try write { encoder in try data.encode(to: encoder) }
        case .base64: write(text: data.base64EncodedString())
        case .custom(let encode): try write { encoder in try encode(data, encoder) }
        @unknown default: try write { encoder in try data.encode(to: encoder) }
        }
    }

    /// Writes the shortest number that reads back as the same value.
    @inline(__always)
    func write(floatingPoint value: Double) throws {
        // Decimals of up to 15 digits are distinct Doubles, so one that reads back as the value is the
        // shortest.
        if value.magnitude < 1e9, value != 0 {
            var scaled = value
            for places in 0..<4 {
                let whole = scaled.rounded()
                if whole / PowersOfTen.small[places] == value {
                    line.fixed(Int(whole), places: places)
                    return
                }
                scaled = value * PowersOfTen.small[places + 1]
            }
        }
        try write(rare: value)
    }

    func write(floatingPoint value: Float) throws { try write(rare: value) }

    @inline(never)
    private func write<Value: BinaryFloatingPoint & CustomStringConvertible>(rare value: Value) throws {
        guard value.isFinite else { return try write(nonConforming: value) }
        let text = value.description
        line.plain(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }

    private func write<Value: BinaryFloatingPoint>(nonConforming value: Value) throws {
        guard
            case .convertToString(let positive, let negative, let nan) = settings
                .nonConformingFloatEncodingStrategy
        else { throw notANumber(value) }
        write(text: value.isNaN ? nan : value > 0 ? positive : negative)
    }

    private func notANumber(_ value: Any) -> EncodingError {
        .invalidValue(
            value,
            EncodingError.Context(
                codingPath: path,
                debugDescription: "Unable to encode \(type(of: value)).\(value) directly in JSON."))
    }

    // MARK: Names

    @inline(__always)
    func name(of key: some CodingKey, _ level: Int) -> String {
        if case .useDefaultKeys = settings.keyEncodingStrategy { return key.stringValue }
        return convertedName(of: key, level)
    }

    @inline(never)
    private func convertedName(of key: some CodingKey, _ level: Int) -> String {
        if frames[level].isPlain { return key.stringValue }
        switch settings.keyEncodingStrategy {
        case .useDefaultKeys: return key.stringValue
        case .convertToSnakeCase: return SnakeCase.snakeCase(key.stringValue)
        case .custom(let convert): return convert(path + [key]).stringValue
        @unknown default: return key.stringValue
        }
    }
}

extension PowersOfTen {
    static let small: InlineArray<5, Double> = [1, 10, 100, 1000, 10_000]
}
