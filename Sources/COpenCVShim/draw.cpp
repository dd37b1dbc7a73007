#include "seam.hpp"

#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <string>

namespace {

const cv::Scalar ink(40, 220, 90), hair(250, 190, 40), dark(0, 0, 0);

/// Writes a text with a dark rim, readable on any image: above the corner, or else below it. It stays in the image.
void write(cv::Mat &picture, const std::string &text, cv::Point corner, double size, bool isAbove) {
  int below = 0;
  const int width = size > 0.5 ? 2 : 1;
  const cv::Size extent = cv::getTextSize(text, cv::FONT_HERSHEY_SIMPLEX, size, width, &below);
  const int baseline = isAbove ? corner.y - 6 : corner.y + extent.height + 6;
  const cv::Point at(std::clamp(corner.x, 1, std::max(1, picture.cols - extent.width - 1)),
                     std::clamp(baseline, extent.height + 1, std::max(extent.height + 1, picture.rows - 2)));
  cv::putText(picture, text, at, cv::FONT_HERSHEY_SIMPLEX, size, dark, width + 2, cv::LINE_AA);
  cv::putText(picture, text, at, cv::FONT_HERSHEY_SIMPLEX, size, ink, width, cv::LINE_AA);
}

}  // namespace

FCStatus fcvision_draw(uint8_t *pixels, int32_t width, int32_t height, const FCMark *marks, size_t count,
                       FCMessage *message) {
  return guard(fcvision::Module::imgproc, message, [&] {
    cv::Mat picture(height, width, CV_8UC3, pixels);
    for (size_t n = 0; n < count; n++) {
      const FCMark &mark = marks[n];
      const cv::Rect box(cvRound(mark.x), cvRound(mark.y), cvRound(mark.width), cvRound(mark.height));
      cv::rectangle(picture, box, dark, 4, cv::LINE_AA);
      cv::rectangle(picture, box, ink, 2, cv::LINE_AA);
      for (int32_t i = 0, points = std::min(mark.outlineCount, FC_MOST_OUTLINE); i < points; i++) {
        const int32_t next = (i + 1) % points;
        const cv::Point from(cvRound(mark.outline[2 * i]), cvRound(mark.outline[2 * i + 1]));
        const cv::Point to(cvRound(mark.outline[2 * next]), cvRound(mark.outline[2 * next + 1]));
        cv::line(picture, from, to, dark, 3, cv::LINE_AA);
        cv::line(picture, from, to, hair, 2, cv::LINE_AA);
      }
      for (size_t i = 0; mark.hasLandmarks && i < 5; i++) {
        const cv::Point at(cvRound(mark.landmarks[2 * i]), cvRound(mark.landmarks[2 * i + 1]));
        cv::circle(picture, at, 2, dark, cv::FILLED, cv::LINE_AA);
        cv::circle(picture, at, 1, ink, cv::FILLED, cv::LINE_AA);
      }
      write(picture, std::to_string(mark.number), box.tl(), 0.9, true);
      write(picture, mark.label, cv::Point(box.x, box.y + box.height), 0.4, false);
    }
    return FCStatusOk;
  });
}
