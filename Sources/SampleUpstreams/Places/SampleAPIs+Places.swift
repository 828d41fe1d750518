internal import Sluice

/// The API that stores a user's path and evaluates it.
extension SampleAPIs {
    func declarePlaces(on gateway: Gateway) {
        gateway.group("/places", .envelope(.custom(PlacesEnvelope()))) { places in
            // 1440 points of about 90 bytes each.
            places.post("/daily/path", .bodyLimit(256 * 1024)) { request in
                let path = try request.json(as: DailyPath.self)
                try path.check()
                return answer(to: request, as: .path) { data in
                    let summary = try data.places.add(path)
                    return .json([
                        "user": .init(path.user), "points": .init(path.timeSequence.count),
                        "distanceMeters": .init(Int(summary.distance.rounded())),
                        "seconds": .init(summary.milliseconds / 1000),
                        "places": .init(summary.stays.map(\.json)),
                    ])
                }
            }

            places.get("/piechart") { request in
                let day = try request.query("date", as: CalendarDate.self)
                return answer(to: request, as: .piechart) { data in
                    guard let chart = try data.places.pieChart(of: day) else { return .status(.noContent) }
                    return .json([
                        "date": "\(day)", "recorded": .init(chart.isRecorded),
                        "slices": .init(chart.slices.map(\.json)),
                    ])
                }
            }
        }
    }
}

extension Stay {
    fileprivate var json: JSONLiteral {
        [
            "name": .init(place.name), "nameEn": .init(place.englishName),
            "category": .init(place.category.rawValue), "latitude": .init(place.coordinate.latitude),
            "longitude": .init(place.coordinate.longitude), "arrivedAt": "\(arrivedAt)",
            "leftAt": "\(leftAt)", "staySeconds": .init(milliseconds / 1000),
        ]
    }
}

extension Places.Slice {
    fileprivate var json: JSONLiteral {
        [
            "category": .init(category.rawValue), "name": .init(category.names.korean),
            "nameEn": .init(category.names.english), "minutes": .init(milliseconds / 60_000),
            "percent": .init(Double(share) / 10),
        ]
    }
}
