internal import Sluice

/// The food diary: the weights of days, and charts of them.
extension SampleAPIs {
    func declareDiary(on gateway: Gateway) {
        gateway.group("/food-diary/weights") { weights in
            weights.get("") { request in
                let day = try request.query("fddDate", as: CalendarDate.self)
                let visitor = request[SampleVisitor.self]
                let isRecent = try request.query("keyword", default: "total") == "recent"
                return answer(to: request, as: isRecent ? .recent : .total) { data in
                    chart(
                        isRecent
                            ? try data.diary.lastWeek(of: day, for: visitor)
                            : try data.diary.lastYear(of: day, for: visitor))
                }
            }

            weights.get("/{date}") { request in
                let day = try request.path("date", as: CalendarDate.self)
                let visitor = request[SampleVisitor.self]
                return answer(to: request, as: .day) { data in
                    weightsOrNothing(of: day, try data.diary.weights(on: day, of: visitor))
                }
            }

            for half in DayHalf.allCases {
                weights.put("/{date}/\(half.rawValue)") { request in
                    guard let kilograms = try request.json()[member: "weight"]?.doubleValue else {
                        throw GatewayError.unprocessable(
                            "weight is missing or not a number; send a body like {\"weight\":71.5}")
                    }
                    guard let weight = Weight(kilograms: kilograms) else {
                        throw GatewayError.unprocessable("weight must be from 20 to 300 kg")
                    }
                    return try record(weight, half, request)
                }

                weights.delete("/{date}/\(half.rawValue)") { request in try record(nil, half, request) }
            }
        }
    }

    /// Writes a weight, or deletes it for nil.
    private func record(_ weight: Weight?, _ half: DayHalf, _ request: GatewayRequest) throws -> Single<
        Answer
    > {
        let day = try request.path("date", as: CalendarDate.self)
        let conditions = try request.conditions()
        let visitor = request[SampleVisitor.self]
        return answer(to: request, as: .record) { data in
            switch try data.diary.record(weight, on: day, half, of: visitor, if: conditions) {
            case .done(let weights):
                guard let tag = weight?.entityTag else { return .status(.noContent) }
                return weightsOrNothing(of: day, weights).field(.eTag, "\(tag)")
            case .conflict(let weights):
                let tag = weights[half]?.entityTag.map { "\($0)" } ?? "missing"
                throw GatewayError(
                    .preconditionFailed, "The weight is \(tag)", details: weights.json(day.description))
            case .isLater(let today):
                throw GatewayError.unprocessable(
                    "\(day) is in the future; the latest day anywhere is \(today)")
            case .tooMany:
                throw GatewayError.unprocessable(
                    "A visitor can record at most \(DiaryStore.recordLimit) weights")
            }
        }
    }

    private func chart(_ points: [Diary.Point]) -> Answer {
        guard !points.isEmpty else { return .status(.noContent) }
        return .json(["unit": "kg", "points": .init(points.map { $0.weights.json($0.label) })])
    }

    private func weightsOrNothing(of day: CalendarDate, _ weights: WeightPair) -> Answer {
        weights.isEmpty ? .status(.noContent) : .json(weights.json(day.description))
    }
}

extension WeightPair {
    /// `{"date":"2026-11-20","am":70.1,"pm":null}`; the label is a day or a month.
    fileprivate func json(_ label: String) -> JSONLiteral {
        ["date": .init(label), "am": .init(morning.map(\.json)), "pm": .init(evening.map(\.json))]
    }
}
