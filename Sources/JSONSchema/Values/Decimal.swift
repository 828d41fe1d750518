import ASCIIText
@_spi(Reading) import JSONBytes

/// A JSON number, exactly: sign, significant digits and a power of ten. `1.50` is 15 times ten to the -1.
///
/// The digits have no zeros at either end. Up to 19 of them are `coefficient`; more of them stay in the text.
struct Decimal: Sendable {
    let isNegative: Bool
    /// The number of significant digits; 0 for zero.
    let count: Int
    /// The digits as a number, if there are at most 19; else the first 19.
    let coefficient: UInt64
    /// The power of ten of the last significant digit. At most 2^58 and at least -2^58.
    let exponent: Int
    /// Where the text has the first significant digit.
    let start: Int

    private static let largestExponent = 1 << 58

    /// Reads the number at `index` of valid JSON, and moves `index` past it.
    @inline(__always)
    init(_ reader: ByteReader, at index: inout Int) {
        let isNegative = reader[index] == Byte.minus
        if isNegative { index &+= 1 }
        var coefficient: UInt64 = 0
        // The digits from the first nonzero digit to the last, all digits since the first nonzero digit, and
        // how many of these come before the point.
        var (count, seen, whole) = (0, 0, 0)
        var start = index
        var isFraction = false
        // `coefficient` has `taken` digits; `kept` is its value up to the last digit that is not 0.
        var (taken, kept): (Int, UInt64) = (0, 0)
        while true {
            let byte = reader[index]
            if ASCII.isDigit(byte) {
                if seen > 0 || byte != Byte.zero {
                    if seen == 0 { start = index }
                    seen &+= 1
                    if !isFraction { whole &+= 1 }
                    if taken < 19 {
                        taken &+= 1
                        coefficient = coefficient &* 10 &+ UInt64(byte &- Byte.zero)
                    }
                    if byte != Byte.zero {
                        count = seen
                        kept = coefficient
                    }
                } else if isFraction {
                    whole &-= 1
                }
            } else if byte == Byte.point {
                isFraction = true
            } else {
                break
            }
            index &+= 1
        }
        var exponent = count == 0 ? 0 : whole &- count
        if reader[index] | 0x20 == UInt8(ascii: "e") {
            index &+= 1
            let power = Self.power(reader, at: &index)
            if count > 0 {
                exponent = min(max(exponent &+ power, -Self.largestExponent), Self.largestExponent)
            }
        }
        self.isNegative = isNegative && count > 0
        self.count = count
        self.coefficient = kept
        self.exponent = exponent
        self.start = start
    }

    private static func power(_ reader: ByteReader, at index: inout Int) -> Int {
        let isNegative = reader[index] == Byte.minus
        if isNegative || reader[index] == Byte.plus { index &+= 1 }
        var power = 0
        while ASCII.isDigit(reader[index]) {
            power = min(power &* 10 &+ Int(reader[index] &- Byte.zero), largestExponent)
            index &+= 1
        }
        return isNegative ? -power : power
    }

    /// Reads the text of a JSON number.
    init(_ text: [UInt8]) {
        self = text.withUnsafeBytes { bytes in
            var zero: UInt8 = Byte.zero
            return withUnsafePointer(to: &zero) { spare in
                var index = 0
                let base = bytes.baseAddress ?? UnsafeRawPointer(spare)
                return Decimal(ByteReader(base: base, count: bytes.count), at: &index)
            }
        }
    }

    var isZero: Bool { count == 0 }

    /// Whether it has no fraction: `1.0` and `1e400` have none.
    @inline(__always)
    var isInteger: Bool { exponent >= 0 }

    /// The value, if it is an integer of 64 bits.
    var int: Int? {
        guard exponent >= 0, count &+ exponent <= 19 else { return isZero ? 0 : nil }
        let (magnitude, overflow) = coefficient.multipliedReportingOverflow(by: Self.powers[exponent])
        guard !overflow else { return nil }
        if isNegative { return magnitude <= 1 << 63 ? Int(truncatingIfNeeded: 0 &- magnitude) : nil }
        return Int(exactly: magnitude)
    }

    /// 10^0 to 10^19.
    static let powers: [UInt64] = (0..<20).map { power in (0..<power).reduce(1) { value, _ in value * 10 } }
}

/// A number of a schema, with its digits.
struct DecimalBound: Sendable {
    let value: Decimal
    /// The significant digits, 0 to 9.
    let digits: [UInt8]

    init(_ text: [UInt8]) {
        value = Decimal(text)
        digits = text.dropFirst(value.start).lazy.filter { ASCII.isDigit($0) }.prefix(value.count).map {
            $0 - Byte.zero
        }
    }
}

extension Decimal {
    /// Compares a number of a text with a number of a schema: negative if it is smaller, 0 if both are equal.
    func compare(with bound: DecimalBound, in reader: ByteReader) -> Int {
        let other = bound.value
        if isZero || other.isZero {
            let left = isZero ? 0 : isNegative ? -1 : 1
            let right = other.isZero ? 0 : other.isNegative ? -1 : 1
            return left - right
        }
        guard isNegative == other.isNegative else { return isNegative ? -1 : 1 }
        let sign = isNegative ? -1 : 1
        let (top, otherTop) = (count &+ exponent, other.count &+ other.exponent)
        guard top == otherTop else { return top < otherTop ? -sign : sign }
        if count <= 19, other.count <= 19 {
            // Both with 19 digits.
            let left = coefficient &* Self.powers[19 - count]
            let right = other.coefficient &* Self.powers[19 - other.count]
            return left == right ? 0 : left < right ? -sign : sign
        }
        var index = start
        for position in 0..<max(count, other.count) {
            var left: UInt8 = 0
            if position < count {
                if reader[index] == Byte.point { index &+= 1 }
                left = reader[index] &- Byte.zero
                index &+= 1
            }
            let right = position < bound.digits.count ? bound.digits[position] : 0
            if left != right { return left < right ? -sign : sign }
        }
        return 0
    }

    /// Whether it is a multiple of a divisor of at most 18 digits that is not 0.
    ///
    /// Neither number has zeros at its end. So the quotient has a fraction if the divisor's last digit has a
    /// larger power of ten. Otherwise the digits are reduced one by one, and then the power of ten.
    func isMultiple(of divisor: Decimal, in reader: ByteReader) -> Bool {
        if isZero { return true }
        let power = exponent &- divisor.exponent
        guard power >= 0 else { return false }
        let modulus = divisor.coefficient
        var rest: UInt64 = 0
        if count <= 19 {
            rest = coefficient % modulus
        } else {
            var index = start
            for _ in 0..<count {
                if reader[index] == Byte.point { index &+= 1 }
                // At most 10^19, since the divisor has 18 digits.
                rest = (rest &* 10 &+ UInt64(reader[index] &- Byte.zero)) % modulus
                index &+= 1
            }
        }
        // A divisor of 18 digits has at most 60 factors of 2 or 5, which 64 factors of 10 contain.
        for _ in 0..<min(power, 64) where rest != 0 { rest = rest &* 10 % modulus }
        return rest == 0
    }
}

extension Decimal {
    private init(_ other: Decimal, start: Int) {
        isNegative = other.isNegative
        count = other.count
        coefficient = other.coefficient
        exponent = other.exponent
        self.start = start
    }

    /// The same number with its digits at another place of a text.
    func moved(to start: Int) -> Decimal { Decimal(self, start: start) }
}

extension DecimalBound {
    /// The least integer of 64 bits above the bound, or at it unless it is exclusive. `Int.max` stands for
    /// larger bounds: integers that large are compared exactly.
    func leastInteger(isExclusive: Bool) -> Int {
        guard let (floor, isWhole) = floor else { return value.isNegative ? .min : .max }
        guard isWhole, !isExclusive else { return floor == .max ? .max : floor + 1 }
        return floor
    }

    func largestInteger(isExclusive: Bool) -> Int {
        guard let (floor, isWhole) = floor else { return value.isNegative ? .min : .max }
        guard isWhole, isExclusive else { return floor }
        return floor == .min ? .min : floor - 1
    }

    /// The largest integer that is not above the bound, and whether it equals the bound; nil beyond 64 bits.
    private var floor: (Int, isWhole: Bool)? {
        if value.isInteger { return value.int.map { ($0, true) } }
        let places = value.count + value.exponent
        guard places <= 18 else { return nil }
        let whole = digits.prefix(max(places, 0)).reduce(0) { $0 * 10 + Int($1) }
        return (value.isNegative ? -whole - 1 : whole, false)
    }
}

extension DecimalBound {
    /// Compares two numbers of schemas.
    func compare(with other: DecimalBound) -> Int {
        // The digits of the left number as text, which `Decimal` reads from its start.
        var text = digits.map { $0 + UInt8(ascii: "0") }
        if text.isEmpty { text = [UInt8(ascii: "0")] }
        return text.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            return value.moved(to: 0).compare(
                with: other, in: ByteReader(base: base, count: bytes.count))
        }
    }
}
