internal import HTTPModel
internal import JSONBytes

/// A request as its route reads it.
struct SampleInput: Sendable {
    /// The values in the path, in order.
    let values: [String]
    let query: QueryItems
    let body: ArraySlice<UInt8>

    /// The one query parameter of that name; nil where there is none.
    func text(_ name: String) throws(Refusal) -> String? {
        let values: [String]
        do throws(PercentEncoding.Failure) {
            values = try query.values(of: name)
        } catch {
            throw Refusal("the query cannot be read: an escape \(error)")
        }
        guard values.count < 2 else { throw Refusal("\(name) is there \(values.count) times") }
        return values.first
    }

    /// The query parameter of that name as a day, `YYYY-MM-DD`.
    func day(_ name: String) throws(Refusal) -> CalendarDay {
        guard let text = try text(name) else {
            throw Refusal("\(name) is missing; it must be a day, YYYY-MM-DD")
        }
        return try Self.day(text, named: name)
    }

    static func day(_ text: String, named name: String) throws(Refusal) -> CalendarDay {
        guard let day = CalendarDay(text) else {
            throw Refusal("\(name) must be a day that exists, YYYY-MM-DD")
        }
        return day
    }

    /// The query parameter of that name as a whole number.
    ///
    /// - Parameter fallback: what is meant where it is absent; nil: it must be there.
    func integer(
        _ name: String, in range: ClosedRange<Int>, default fallback: Int? = nil
    ) throws(Refusal) -> Int {
        let rule = "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
        guard let text = try text(name) else {
            guard let fallback else { throw Refusal("\(name) is missing; it \(rule)") }
            return fallback
        }
        guard let value = Int(text), range.contains(value) else {
            throw Refusal("\(name) \(rule)")
        }
        return value
    }

    func json() throws(Refusal) -> JSONFragment {
        do throws(JSONError) {
            return try JSONFragment(validating: body)
        } catch {
            throw Refusal("the body is not JSON: \(error)")
        }
    }
}
