#include "seam.hpp"

#include <opencv2/objdetect.hpp>

#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

struct FCCascade {
  cv::CascadeClassifier classifier;
};

FCStatus fcvision_cascade_create(const char *xml, size_t count, FCCascade **cascade, FCMessage *message) {
  *cascade = nullptr;
  return guard(fcvision::Module::objdetect, message, [&] {
    auto made = std::make_unique<FCCascade>();
    bool loaded = false;
    try {
      const cv::FileStorage storage(cv::String(xml, count), cv::FileStorage::READ | cv::FileStorage::MEMORY);
      loaded = storage.isOpened() && made->classifier.read(storage.getFirstTopLevelNode());
    } catch (const std::exception &thrown) {
      if (fromOpenCV(thrown) == nullptr) throw;
      // The parser's message refers to its own source, so only the fact that the file is no cascade is reported.
    }
    if (!loaded || made->classifier.empty()) return FCStatusCorrupt;
    *cascade = made.release();
    return FCStatusOk;
  });
}

void fcvision_cascade_destroy(FCCascade *cascade) { delete cascade; }

FCStatus fcvision_cascade_detect(FCCascade *cascade, FCPicture picture, FCCascadeSettings settings,
                                 FCCascadeHit *hits, size_t capacity, size_t *count, FCMessage *message) {
  *count = 0;
  return guard(fcvision::Module::objdetect, message, [&] {
    std::vector<cv::Rect> boxes;
    cascade->classifier.detectMultiScale(view(picture), boxes, settings.scaleFactor, settings.minimumNeighbors, 0,
                                         cv::Size(settings.minimumSide, settings.minimumSide),
                                         cv::Size(settings.maximumSide, settings.maximumSide));
    std::sort(boxes.begin(), boxes.end(), [](const cv::Rect &a, const cv::Rect &b) {
      return std::make_tuple(a.width, a.y, a.x) < std::make_tuple(b.width, b.y, b.x);
    });
    *count = std::min(boxes.size(), capacity);
    std::transform(boxes.begin(), boxes.begin() + static_cast<std::ptrdiff_t>(*count), hits,
                   [](const cv::Rect &box) { return FCCascadeHit{box.x, box.y, box.width}; });
    return FCStatusOk;
  });
}
