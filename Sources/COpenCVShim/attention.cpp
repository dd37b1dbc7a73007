#include "seam.hpp"

#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <vector>

namespace {

/// The longer side of the analyzed image: at this size, objects stand out rather than their texture.
constexpr int side = 64;

/// Computes the saliency of each pixel: the logarithmic spectrum minus its local mean, transformed back (X. Hou, L.
/// Zhang, "Saliency Detection: A Spectral Residual Approach", CVPR 2007, 3.2).
cv::Mat saliency(const cv::Mat &gray) {
  const double scale = static_cast<double>(side) / std::max(gray.cols, gray.rows);
  const cv::Size size(std::max(cvRound(gray.cols * scale), 8), std::max(cvRound(gray.rows * scale), 8));
  cv::Mat small, spectrum, amplitude, phase, mean;
  cv::resize(gray, small, size, 0, 0, cv::INTER_AREA);
  small.convertTo(small, CV_32F);
  cv::dft(small, spectrum, cv::DFT_COMPLEX_OUTPUT);
  std::vector<cv::Mat> parts;
  cv::split(spectrum, parts);
  cv::cartToPolar(parts[0], parts[1], amplitude, phase);
  cv::log(amplitude + 1e-6, amplitude);
  cv::blur(amplitude, mean, cv::Size(3, 3));
  cv::exp(amplitude - mean, amplitude);
  cv::polarToCart(amplitude, phase, parts[0], parts[1]);
  cv::merge(parts, spectrum);
  cv::idft(spectrum, spectrum);
  cv::split(spectrum, parts);
  cv::Mat map = parts[0].mul(parts[0]) + parts[1].mul(parts[1]);
  cv::GaussianBlur(map, map, cv::Size(), 2.5);
  return map;
}

}  // namespace

FCStatus fcvision_attention(FCPicture picture, double *x, double *y, FCMessage *message) {
  *x = *y = 0.5;
  return guard(fcvision::Module::imgproc, message, [&] {
    cv::Mat map = saliency(view(picture));
    // The center of everything above the mean.
    map = cv::max(map - cv::mean(map)[0], 0);
    const cv::Moments moments = cv::moments(map);
    if (moments.m00 > 0) {
      *x = std::clamp((moments.m10 / moments.m00 + 0.5) / map.cols, 0.0, 1.0);
      *y = std::clamp((moments.m01 / moments.m00 + 0.5) / map.rows, 0.0, 1.0);
    }
    return FCStatusOk;
  });
}
