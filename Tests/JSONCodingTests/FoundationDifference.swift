/// The differences between our coders and Foundation's: the rows of the tables in the client's documentation (ReadingJSON.md).
enum FoundationDifference: String, CaseIterable {
    // Decoding.
    case encodings = "UTF-16 and UTF-32"
    case commas = "a comma behind the last element or member"
    case trailingNUL = "a NUL behind the document"
    case nesting = "nesting beyond 64 levels"
    case longNumbers = "a number of more than 256 bytes"
    case surrogates = "half a surrogate pair"
    case fractions = "a fraction that no `Double` shows, as an integer"
    case exponents = "an integer beyond 2^53 that is written with an exponent"
    case equivalentNames = "names that only Unicode takes for the same"
    case repeatedNames = "values that do not fit under a name that was there before"
    case dates = "a date of `NaN`"
    case nullBool = "the error of `null` as a `Bool`"
    case numberErrors = "the error of a number that does not fit"
    case malformed = "the error of what is not JSON, as another type"
    // Encoding.
    case order = "the order of members without `.sortedKeys`"
    case decimals = "a `Decimal` that is not a number"
}
