#include "seam.hpp"

#include <opencv2/imgproc.hpp>

FCVisionStatus fcvision_shrink(FCGrayPicture picture, uint8_t *pixels, int32_t width, int32_t height,
                               FCVisionMessage *message) {
  return guard(message, [&] {
    cv::Mat small(height, width, CV_8UC1, pixels);
    cv::resize(view(picture), small, small.size(), 0, 0, cv::INTER_AREA);
    return FCVisionStatusOk;
  });
}
