internal import HTTPModel
internal import JSONBytes

/// The values of a request, for its route.
struct SampleInput: Sendable {
    /// The values in the path, in order.
    let values: [String]
    let query: QueryItems
    let fields: HTTPFields
    let body: ArraySlice<UInt8>
    /// The visitor whose faults are meant; nil for those of everybody.
    let visitor: SampleVisitor?

    /// Returns the query parameter with this name; nil if there is none.
    func text(_ name: String) throws(Refusal) -> String? {
        let values: [String]
        do throws(PercentEncoding.Failure) {
            values = try query.values(of: name)
        } catch {
            throw Refusal("the query cannot be read: an escape \(error)")
        }
        guard values.count < 2 else { throw Refusal("\(name) is given \(values.count) times") }
        return values.first
    }

    /// Returns the query parameter with this name as a day, `YYYY-MM-DD`.
    func day(_ name: String) throws(Refusal) -> CalendarDay {
        guard let text = try text(name) else {
            throw Refusal("\(name) is missing; it must be a day, YYYY-MM-DD")
        }
        return try Self.day(text, named: name)
    }

    static func day(_ text: String, named name: String) throws(Refusal) -> CalendarDay {
        guard let day = CalendarDay(text) else {
            throw Refusal("\(name) must be an existing day, YYYY-MM-DD")
        }
        return day
    }

    /// Returns the query parameter with this name as an integer. It may be missing only if there is a `fallback`.
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
