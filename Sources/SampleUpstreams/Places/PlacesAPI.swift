internal import ASCIIText
internal import HTTPModel
internal import JSONBytes

/// The places API. Its envelope has the message in `responseMsg`, and for an invalid request also in `data`.
enum PlacesAPI: SampleAPI {
    static let routes = [
        // 1440 points of about 90 bytes each.
        SampleRoute(.post, "/places/daily/path", bodyLimit: 256 * 1024) { (input) throws(Refusal) in
            let path = try DailyPath(try input.json())
            return .query(.path) { (data) throws(SampleDataError) in
                answer(path, try data.places.add(path))
            }
        },
        SampleRoute(.get, "/places/piechart") { (input) throws(Refusal) in
            let day = try input.day("date")
            return .query(.piechart) { (data) throws(SampleDataError) in
                guard let chart = try data.places.pieChart(of: day) else { return GenericResponse.noContent }
                return answer(day, chart)
            }
        },
    ]

    static func answer(to refusal: Refusal) -> HTTPResponse {
        GenericResponse.failure(refusal.status, refusal.message, textName: .responseMsg) {
            $0.string(refusal.message)
        }
    }

    private static func answer(_ path: DailyPath, _ summary: Places.Summary) -> HTTPResponse {
        GenericResponse.success(textName: .responseMsg) { composer in
            composer.beginObject()
            composer.key("user")
            composer.string(path.user)
            composer.key("points")
            composer.int(path.points.count)
            composer.key("distanceMeters")
            composer.int(Int(summary.distance.rounded()))
            composer.key("seconds")
            composer.int(summary.milliseconds / 1000)
            composer.key("places")
            composer.beginArray()
            for stay in summary.stays { append(stay, to: &composer) }
            composer.endArray()
            composer.endObject()
        }
    }

    private static func append(_ stay: Stay, to composer: inout JSONComposer) {
        composer.beginObject()
        composer.key("name")
        composer.string(stay.place.name)
        composer.key("nameEn")
        composer.string(stay.place.englishName)
        composer.key("category")
        composer.string(stay.place.category.rawValue)
        composer.key("latitude")
        composer.double(stay.place.coordinate.latitude)
        composer.key("longitude")
        composer.double(stay.place.coordinate.longitude)
        composer.key("arrivedAt")
        composer.string(stay.arrivedAt.description)
        composer.key("leftAt")
        composer.string(stay.leftAt.description)
        composer.key("staySeconds")
        composer.int(stay.milliseconds / 1000)
        composer.endObject()
    }

    private static func answer(_ day: CalendarDay, _ chart: Places.PieChart) -> HTTPResponse {
        GenericResponse.success(textName: .responseMsg) { composer in
            composer.beginObject()
            composer.key("date")
            composer.string(day.description)
            composer.key("recorded")
            composer.bool(chart.isRecorded)
            composer.key("slices")
            composer.beginArray()
            for slice in chart.slices {
                composer.beginObject()
                composer.key("category")
                composer.string(slice.category.rawValue)
                composer.key("name")
                composer.string(slice.category.names.korean)
                composer.key("nameEn")
                composer.string(slice.category.names.english)
                composer.key("minutes")
                composer.int(slice.milliseconds / 60_000)
                composer.key("percent")
                composer.fixed(slice.share, places: 1)
                composer.endObject()
            }
            composer.endArray()
            composer.endObject()
        }
    }
}
