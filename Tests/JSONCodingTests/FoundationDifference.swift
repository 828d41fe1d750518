/// The differences between our coders and Foundation's. Each case is a row of the tables in the client's
/// documentation (ReadingJSON.md).
enum FoundationDifference: String, CaseIterable {
    // Decoding.
    case encodings = "UTF-16 and UTF-32"
    case commas = "trailing comma in an object or array"
    case trailingNUL = "NUL after the document"
    case nesting = "nesting beyond 64 levels"
    case longNumbers = "number of more than 256 bytes"
    case surrogates = "lone surrogate"
    case fractions = "fraction that `Double` cannot represent, read as an integer"
    case exponents = "integer beyond 2^53 written with an exponent"
    case zeros = "zero with an exponent, such as `0e3`, read as `Double` or `Float`"
    case equivalentNames = "names that are equal only in Unicode's sense"
    case repeatedNames = "invalid value under a duplicate name"
    case dates = "date of `NaN`"
    case nullBool = "error for `null` read as `Bool`"
    case numberErrors = "error for a number out of range"
    case malformed = "error for invalid JSON read as another type"
    // Encoding.
    case order = "order of members without `.sortedKeys`"
    case decimals = "`Decimal` that is not a number"
}
