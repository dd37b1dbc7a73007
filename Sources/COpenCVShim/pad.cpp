#include "seam.hpp"

#include <opencv2/imgproc.hpp>

#include <algorithm>

FCStatus fcvision_pad(FCPicture picture, FCPadding padding, uint8_t *pixels, int32_t width, int32_t height,
                      FCMessage *message) {
  return guard(fcvision::Module::imgproc, message, [&] {
    cv::Mat padded(height, width, CV_8UC(picture.channels), pixels);
    const cv::Rect place(padding.left, padding.top, picture.width, picture.height);
    CV_Assert((place & cv::Rect(0, 0, width, height)) == place);
    const int right = width - place.br().x, below = height - place.br().y;
    const cv::Mat inner = view(picture);
    switch (padding.kind) {
      case FCPaddingKindEdge:
        cv::copyMakeBorder(inner, padded, place.y, below, place.x, right, cv::BORDER_REPLICATE);
        break;
      case FCPaddingKindBlur: {
        cv::copyMakeBorder(inner, padded, place.y, below, place.x, right, cv::BORDER_REFLECT);
        // Wide enough that nothing in the border draws the eye.
        const double sigma = std::max(2.0, std::max(width, height) / 24.0);
        // Blurred at a smaller size, which loses no visible detail; at full size it takes seconds.
        const double shrink = std::max(1.0, sigma / 8.0);
        const cv::Size size(std::max(1, cvRound(width / shrink)), std::max(1, cvRound(height / shrink)));
        cv::Mat small;
        cv::resize(padded, small, size, 0, 0, cv::INTER_AREA);
        cv::GaussianBlur(small, small, cv::Size(), sigma / shrink, sigma / shrink, cv::BORDER_REPLICATE);
        cv::resize(small, padded, padded.size(), 0, 0, cv::INTER_LINEAR);
        break;
      }
    }
    inner.copyTo(padded(place));
    return FCStatusOk;
  });
}
