internal import HTTPModel
internal import JSONBytes

/// The food diary's API: the weights of days, and charts of them.
enum DiaryAPI: SampleAPI {
    static let routes = [
        SampleRoute(.get, "/food-diary/weights") { (input) throws(Refusal) in
            let day = try input.day("fddDate")
            let visitor = input.visitor
            guard try input.text("keyword") == "recent" else {
                return .query(.total) { (data) throws(SampleDataError) in
                    chart(try data.diary.lastYear(of: day, for: visitor))
                }
            }
            return .query(.recent) { (data) throws(SampleDataError) in
                chart(try data.diary.lastWeek(of: day, for: visitor))
            }
        },
        SampleRoute(.get, "/food-diary/weights/{date}") { (input) throws(Refusal) in
            let day = try SampleInput.day(input.values[0], named: "the date")
            let visitor = input.visitor
            return .query(.day) { (data) throws(SampleDataError) in
                answer(day, try data.diary.weights(on: day, of: visitor))
            }
        },
        SampleRoute(.put, "/food-diary/weights/{date}/{am|pm}") { (input) throws(Refusal) in
            try change(input, to: try weight(try input.json()))
        },
        SampleRoute(.delete, "/food-diary/weights/{date}/{am|pm}") { (input) throws(Refusal) in
            try change(input, to: nil)
        },
    ]

    /// Returns the query that writes a weight, or deletes it for nil.
    private static func change(_ input: SampleInput, to weight: Weight?) throws(Refusal) -> SampleCall {
        let (day, half) = try record(input)
        let conditions = try WeightCondition.read(input.fields)
        let visitor = input.visitor
        return .query(.record) { (data) throws(SampleDataError) in
            switch try data.diary.record(weight, on: day, half, of: visitor, if: conditions) {
            case .done(let weights):
                guard let weight else { return GenericResponse.noContent }
                var response = answer(day, weights)
                response.fields[.eTag] = weight.entityTag
                return response
            case .conflict(let weights):
                return GenericResponse.failure(
                    .preconditionFailed, "the weight is \(weights[half]?.entityTag ?? "missing")"
                ) { append(day.description, weights, to: &$0) }
            case .isLater(let today):
                return GenericResponse.failure(
                    .unprocessableContent, "\(day) is in the future; the latest day anywhere is \(today)")
            case .tooMany:
                return GenericResponse.failure(
                    .unprocessableContent, "a visitor can record at most \(DiaryStore.recordLimit) weights")
            }
        }
    }

    private static func record(_ input: SampleInput) throws(Refusal) -> (CalendarDay, DayHalf) {
        guard let half = DayHalf(rawValue: input.values[1]) else {
            throw Refusal("the half of the day must be am or pm, not \(input.values[1])", .notFound)
        }
        return (try SampleInput.day(input.values[0], named: "the date"), half)
    }

    /// Reads `{"weight":71.5}`.
    private static func weight(_ document: JSONFragment) throws(Refusal) -> Weight {
        guard let kilograms = document[member: "weight"]?.doubleValue else {
            throw Refusal(
                "weight is missing or not a number; send a body like {\"weight\":71.5}",
                .unprocessableContent)
        }
        guard let weight = Weight(kilograms: kilograms) else {
            throw Refusal("weight must be from 20 to 300 kg", .unprocessableContent)
        }
        return weight
    }

    private static func chart(_ points: [Diary.Point]) -> HTTPResponse {
        guard !points.isEmpty else { return GenericResponse.noContent }
        return GenericResponse.success { composer in
            composer.beginObject()
            composer.key("unit")
            composer.string("kg")
            composer.key("points")
            composer.beginArray()
            for point in points { append(point.label, point.weights, to: &composer) }
            composer.endArray()
            composer.endObject()
        }
    }

    private static func answer(_ day: CalendarDay, _ weights: WeightPair) -> HTTPResponse {
        guard !weights.isEmpty else { return GenericResponse.noContent }
        return GenericResponse.success { append(day.description, weights, to: &$0) }
    }

    /// Appends `{"date":"2026-11-20","am":70.1,"pm":null}`.
    private static func append(_ label: String, _ weights: WeightPair, to composer: inout JSONComposer) {
        composer.beginObject()
        composer.key("date")
        composer.string(label)
        for half in DayHalf.allCases {
            composer.key(half.rawValue)
            if let weight = weights[half] {
                weight.append(to: &composer)
            } else {
                composer.null()
            }
        }
        composer.endObject()
    }
}
