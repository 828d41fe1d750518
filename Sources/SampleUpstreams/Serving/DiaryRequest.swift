internal import HTTPModel
internal import JSONBytes

/// A request to the diary, read and found valid.
enum DiaryRequest: Equatable, Sendable {
    case recent(CalendarDay)
    case total(CalendarDay)
    case day(CalendarDay)
    case put(CalendarDay, DayHalf, Weight)
    case delete(CalendarDay, DayHalf)

    /// What is wrong with a request.
    struct Refusal: Error, Equatable {
        let status: HTTPStatus
        let message: String
    }

    /// Reads `?fddDate=YYYY-MM-DD[&keyword=recent]`; without that keyword it is the total.
    init(query: ArraySlice<UInt8>?) throws(Refusal) {
        let items = QueryItems(query)
        let dates: [String]
        let keyword: String?
        do throws(PercentEncoding.Failure) {
            dates = try items.values(of: "fddDate")
            keyword = try items.first("keyword")
        } catch {
            throw Refusal(status: .badRequest, message: "the query cannot be read: an escape \(error)")
        }
        guard let date = dates.first else {
            throw Refusal(status: .badRequest, message: "fddDate is missing; it must be a day, YYYY-MM-DD")
        }
        guard dates.count == 1 else {
            throw Refusal(status: .badRequest, message: "fddDate is there \(dates.count) times")
        }
        let day = try Self.day(date, named: "fddDate")
        self = keyword == "recent" ? .recent(day) : .total(day)
    }

    /// Reads the date of a path.
    init(date: String) throws(Refusal) {
        self = .day(try Self.day(date, named: "the date"))
    }

    /// Reads `{"weight":71.5}`.
    init(putting body: ArraySlice<UInt8>, on date: String, _ half: DayHalf) throws(Refusal) {
        let day = try Self.day(date, named: "the date")
        let document: JSONFragment
        do throws(JSONError) {
            document = try JSONFragment(validating: body)
        } catch {
            throw Refusal(status: .badRequest, message: "the body is not JSON: \(error)")
        }
        guard let kilograms = document[member: "weight"]?.doubleValue else {
            throw Refusal(
                status: .unprocessableContent,
                message: "weight is missing or not a number; the body must be like {\"weight\":71.5}")
        }
        guard let weight = Weight(kilograms: kilograms) else {
            throw Refusal(status: .unprocessableContent, message: "weight must be 20 to 300 kg")
        }
        self = .put(day, half, weight)
    }

    init(deleting half: DayHalf, on date: String) throws(Refusal) {
        self = .delete(try Self.day(date, named: "the date"), half)
    }

    private static func day(_ text: String, named name: String) throws(Refusal) -> CalendarDay {
        guard let day = CalendarDay(text) else {
            throw Refusal(status: .badRequest, message: "\(name) must be a day that exists, YYYY-MM-DD")
        }
        return day
    }

    /// The API whose fault this request meets.
    var api: SampleAPI {
        switch self {
        case .recent: .recent
        case .total: .total
        case .day: .day
        case .put, .delete: .record
        }
    }

    /// Asks the diary. Off the loops.
    func answer(from diary: Diary) throws(DiaryError) -> HTTPResponse {
        switch self {
        case .recent(let day): return chart(try diary.lastWeek(of: day))
        case .total(let day): return chart(try diary.lastYear(of: day))
        case .day(let day): return answer(day, try diary.weights(on: day))
        case .put(let day, let half, let weight): return answer(day, try diary.record(weight, on: day, half))
        case .delete(let day, let half):
            try diary.delete(on: day, half)
            return GenericResponse.noContent
        }
    }

    private func chart(_ points: [Diary.Point]) -> HTTPResponse {
        guard !points.isEmpty else { return GenericResponse.noContent }
        return GenericResponse.success { composer in
            composer.beginObject()
            composer.key("unit")
            composer.string("kg")
            composer.key("points")
            composer.beginArray()
            for point in points {
                composer.beginObject()
                composer.key("date")
                composer.string(point.label)
                point.weights.append(to: &composer)
                composer.endObject()
            }
            composer.endArray()
            composer.endObject()
        }
    }

    private func answer(_ day: CalendarDay, _ weights: WeightPair) -> HTTPResponse {
        guard !weights.isEmpty else { return GenericResponse.noContent }
        return GenericResponse.success { composer in
            composer.beginObject()
            composer.key("date")
            composer.string(day.description)
            weights.append(to: &composer)
            composer.endObject()
        }
    }
}
