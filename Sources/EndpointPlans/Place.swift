/// A place in a file of the configuration.
package struct ConfigPlace: Sendable, Hashable {
    // 32 bits each: every value of a configuration has a place.
    private let fileIndex: Int32
    private let lineNumber: Int32
    private let columnNumber: Int32

    package init(file: Int, line: Int, column: Int) {
        fileIndex = Int32(clamping: file)
        lineNumber = Int32(clamping: line)
        columnNumber = Int32(clamping: column)
    }

    /// The index of the file in the order of reading; 0 is the root file.
    package var file: Int { Int(fileIndex) }
    /// From 1.
    package var line: Int { Int(lineNumber) }
    /// In characters (Unicode scalars), from 1.
    package var column: Int { Int(columnNumber) }

    /// The place of all values that are written in Swift.
    package static let code = ConfigPlace(file: -1, line: 0, column: 0)

    /// The first character of a file.
    package static func start(of file: Int) -> ConfigPlace { ConfigPlace(file: file, line: 1, column: 1) }
}

extension ConfigPlace: Comparable {
    package static func < (left: ConfigPlace, right: ConfigPlace) -> Bool {
        (left.fileIndex, left.lineNumber, left.columnNumber)
            < (right.fileIndex, right.lineNumber, right.columnNumber)
    }
}

/// A value and the place where the file has it.
package struct Located<Value> {
    package var value: Value
    package var place: ConfigPlace

    /// - Parameters:
    ///   - value: the value.
    ///   - place: where the file has it; by default the place of values in code.
    package init(_ value: Value, at place: ConfigPlace = .code) {
        self.value = value
        self.place = place
    }

    package func map<Other>(_ transform: (Value) -> Other) -> Located<Other> {
        Located<Other>(transform(value), at: place)
    }
}

extension Located: Sendable where Value: Sendable {}
extension Located: Equatable where Value: Equatable {}
extension Located: Hashable where Value: Hashable {}

extension Located: ExpressibleByUnicodeScalarLiteral where Value: ExpressibleByStringLiteral {}
extension Located: ExpressibleByExtendedGraphemeClusterLiteral where Value: ExpressibleByStringLiteral {}
extension Located: ExpressibleByStringLiteral where Value: ExpressibleByStringLiteral {
    package init(stringLiteral text: Value.StringLiteralType) {
        self.init(Value(stringLiteral: text))
    }
}
