#include "seam.hpp"

#include <opencv2/imgproc.hpp>

FCStatus fcvision_resize(FCPicture picture, uint8_t *pixels, int32_t width, int32_t height,
                         FCMessage *message) {
  return guard(fcvision::Module::imgproc, message, [&] {
    cv::Mat resized(height, width, CV_8UC(picture.channels), pixels);
    const bool isSmaller = width <= picture.width && height <= picture.height;
    cv::resize(view(picture), resized, resized.size(), 0, 0, isSmaller ? cv::INTER_AREA : cv::INTER_LINEAR);
    return FCStatusOk;
  });
}

FCStatus fcvision_warp(FCPicture picture, const double *map, bool isFine, const double *border, uint8_t *pixels,
                       int32_t width, int32_t height, FCMessage *message) {
  return guard(fcvision::Module::imgproc, message, [&] {
    cv::Mat warped(height, width, CV_8UC(picture.channels), pixels);
    const cv::Mat matrix(2, 3, CV_64F, const_cast<double *>(map));
    cv::warpAffine(view(picture), warped, matrix, warped.size(), isFine ? cv::INTER_CUBIC : cv::INTER_LINEAR,
                   border ? cv::BORDER_CONSTANT : cv::BORDER_REPLICATE,
                   border ? cv::Scalar(border[0], border[1], border[2], border[3]) : cv::Scalar());
    return FCStatusOk;
  });
}
