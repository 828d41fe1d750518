import ASCIIText
@_spi(Reading) import JSONBytes

extension SchemaRun {
    // MARK: - Strings

    /// Checks the string at the cursor by a rule, or without one, and moves past it.
    mutating func string(_ rule: Int32) -> Bool {
        let start = cursor.index &+ 1
        var isEscaped = false
        if let end = cursor.reader.closingQuote(at: start) {
            cursor.index = end &+ 1
        } else {
            isEscaped = cursor.skipString()
        }
        guard rule >= 0, let rules = tables.strings.baseAddress else { return true }
        return isText(start..<cursor.index &- 1, isEscaped, rules + Int(rule))
    }

    /// Whether a string follows a rule.
    @inline(__always)
    private mutating func isText(
        _ range: Range<Int>, _ isEscaped: Bool, _ rule: UnsafePointer<SchemaPlan.StringRule>
    ) -> Bool {
        guard isEscaped else { return isText(cursor.reader.rawBytes(range), rule) }
        let decoded = decode(range)
        defer { scratch.decoded = decoded }
        return decoded.withUnsafeBytes { isText($0, rule) }
    }

    /// Whether decoded text follows the rule of a node.
    mutating func isText(_ text: UnsafeRawBufferPointer, _ node: SchemaPlan.Node) -> Bool {
        guard node.string >= 0, let rules = tables.strings.baseAddress else { return true }
        return isText(text, rules + Int(node.string))
    }

    private mutating func isText(
        _ text: UnsafeRawBufferPointer, _ rule: UnsafePointer<SchemaPlan.StringRule>
    ) -> Bool {
        // A character has one to four bytes.
        let least = rule.pointee.least
        if text.count < least { return false }
        if text.count > rule.pointee.most || least > 1 && text.count < 4 &* min(least, 1 << 40) {
            work &-= text.count &>> 4
            let count = Self.characters(text)
            guard count >= least, count <= rule.pointee.most else { return false }
        }
        if !rule.pointee.patterns.isEmpty {
            for index in rule.pointee.patterns.range where !matches(Int(tables.patternList[index]), text) {
                return false
            }
        }
        if !rule.pointee.formats.isEmpty {
            work &-= text.count &>> 4
            for format in tables.plan.formatList[rule.pointee.formats.range] {
                guard format != .regex || mayBeParsed(text), format.accepts(text) else { return false }
            }
        }
        return true
    }

    /// Whether a text is short enough to be parsed as a pattern, which takes longer than other formats.
    private mutating func mayBeParsed(_ text: UnsafeRawBufferPointer) -> Bool {
        work &-= text.count &<< 3
        hasCostlyPattern = hasCostlyPattern || text.count > ECMAPattern.longestText
        return !isStopped
    }

    /// The number of Unicode scalars of valid UTF-8.
    static func characters(_ text: UnsafeRawBufferPointer) -> Int {
        var count = text.count
        var index = 0
        while index &+ 8 <= text.count {
            let word = text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            // Bit 7 of bytes that continue a character: 10xxxxxx.
            let continued = word & ~(word &<< 1) & ByteWord.repeating(0x80)
            count &-= continued.nonzeroBitCount
            index &+= 8
        }
        while index < text.count {
            if text[index] & 0xC0 == 0x80 { count &-= 1 }
            index &+= 1
        }
        return count
    }

    // MARK: - Numbers

    /// Checks the number at the cursor and moves past it.
    ///
    /// Nearly all numbers have at most 18 digits before the point and no exponent. Then the integer below a
    /// number decides, unless a bound lies between them.
    mutating func number(_ node: UnsafePointer<SchemaPlan.Node>) -> Bool {
        let types = node.pointee.types
        guard !types.isDisjoint(with: .number) else { return false }
        let reader = cursor.reader
        var index = cursor.index
        let isNegative = reader[index] == Byte.minus
        if isNegative { index &+= 1 }
        let start = index
        var value = 0
        while true {
            let digit = reader[index] &- Byte.zero
            guard digit < 10 else { break }
            value = value &* 10 &+ Int(digit)
            index &+= 1
        }
        let length = index &- start
        var isWhole = true
        if reader[index] == Byte.point {
            index &+= 1
            while true {
                let digit = reader[index] &- Byte.zero
                guard digit < 10 else { break }
                if digit > 0 { isWhole = false }
                index &+= 1
            }
        }
        guard length <= 18, reader[index] | 0x20 != UInt8(ascii: "e") else { return exactNumber(node) }
        if isWhole {
            cursor.index = index
            return types.contains(.integer) && isNumber(isNegative ? -value : value, node.pointee)
        }
        guard types.contains(.fraction) else { return false }
        guard node.pointee.number >= 0, let rules = tables.numbers.baseAddress else {
            cursor.index = index
            return true
        }
        let rule = rules + Int(node.pointee.number)
        let below = isNegative ? -value - 1 : value
        guard below >= rule.pointee.least, below < rule.pointee.most, rule.pointee.divisors.isEmpty,
            rule.pointee.formats.isEmpty
        else { return exactNumber(node) }
        cursor.index = index
        return true
    }

    @inline(never)
    private mutating func exactNumber(_ node: UnsafePointer<SchemaPlan.Node>) -> Bool {
        if node.pointee.number < 0, node.pointee.types.contains(.number) {
            cursor.skipValue()
            return true
        }
        let value = Decimal(cursor.reader, at: &cursor.index)
        return isNumber(value, node.pointee)
    }

    private func isNumber(_ value: Int, _ node: SchemaPlan.Node) -> Bool {
        guard node.number >= 0 else { return true }
        let rule = tables.numbers[Int(node.number)]
        guard value >= rule.least, value <= rule.most else { return false }
        if rule.divisors.isEmpty, rule.formats.isEmpty { return true }
        for divisor in tables.plan.divisors[rule.divisors.range] where !Self.isMultiple(value, of: divisor) {
            return false
        }
        for format in tables.plan.formatList[rule.formats.range] where format == .int32 {
            guard Int32(exactly: value) != nil else { return false }
        }
        return true
    }

    private static func isMultiple(_ value: Int, of divisor: Decimal) -> Bool {
        if value == 0 { return true }
        // An integer divisor without zeros at its end, times a power of ten.
        guard divisor.exponent <= 18 else { return false }
        var rest = value.magnitude
        if divisor.exponent > 0 {
            let power = UInt(Decimal.powers[divisor.exponent])
            guard rest.isMultiple(of: power) else { return false }
            rest /= power
        }
        var remainder = UInt64(rest) % divisor.coefficient
        for _ in 0..<min(max(-divisor.exponent, 0), 64) where remainder != 0 {
            remainder = remainder &* 10 % divisor.coefficient
        }
        return remainder == 0
    }

    /// Whether a number follows a node: its type and its rule.
    func isNumber(_ value: Decimal, _ node: SchemaPlan.Node) -> Bool {
        guard node.types.contains(value.isInteger ? .integer : .fraction) else { return false }
        guard node.number >= 0 else { return true }
        let rule = tables.numbers[Int(node.number)]
        let reader = cursor.reader
        if rule.lower >= 0 {
            let order = value.compare(with: tables.plan.bounds[Int(rule.lower)], in: reader)
            guard order > 0 || order == 0 && !rule.isLowerExclusive else { return false }
        }
        if rule.upper >= 0 {
            let order = value.compare(with: tables.plan.bounds[Int(rule.upper)], in: reader)
            guard order < 0 || order == 0 && !rule.isUpperExclusive else { return false }
        }
        for divisor in tables.plan.divisors[rule.divisors.range]
        where !value.isMultiple(of: divisor, in: reader) {
            return false
        }
        for format in tables.plan.formatList[rule.formats.range] where !value.has(format) { return false }
        return true
    }
}

extension Decimal {
    /// Whether it has a format of OpenAPI: within 32 or 64 bits, or the range of a floating-point type.
    func has(_ format: Format) -> Bool {
        switch format {
        case .int32: int.map { Int32(exactly: $0) != nil } ?? false
        case .int64: int != nil
        // The largest values are about 3.4e38 and 1.8e308.
        case .float: isZero || count &+ exponent <= 38 || isBelow(3.402823466385288598e38, 39)
        case .double: isZero || count &+ exponent <= 308 || isBelow(1.7976931348623157e308, 309)
        default: true
        }
    }

    /// Whether it is at most a number with that many digits before the point. The first 19 digits decide.
    private func isBelow(_ largest: Double, _ digits: Int) -> Bool {
        guard count &+ exponent == digits else { return false }
        let scaled = Double(coefficient) * Self.pow(digits &- min(count, 19))
        return scaled <= largest
    }

    private static func pow(_ exponent: Int) -> Double { Double("1e\(exponent)") ?? .infinity }
}
