#include "COpenCVReference.h"

#include "COpenCVShim.h"

#include <opencv2/dnn.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace {

const std::vector<std::string> names = {"cls_8",  "cls_16",  "cls_32",  "obj_8", "obj_16", "obj_32",
                                        "bbox_8", "bbox_16", "bbox_32", "kps_8", "kps_16", "kps_32"};

}  // namespace

struct FCReferenceNetwork {
  cv::dnn::Net net;
  cv::Mat input;
  std::vector<cv::Mat> outputs;
};

FCReferenceNetwork *fcreference_create(const uint8_t *onnx, size_t count) {
  // In one program with the shim, this code uses the OpenCV functions that the shim loads on its first call.
  const uint8_t pixel = 0;
  uint8_t resized[4];
  FCMessage message;
  const FCPicture picture = {&pixel, 1, 1, 1, 1};
  if (fcvision_resize(picture, resized, 2, 2, &message) != FCStatusOk) return nullptr;
  try {
    auto made = std::make_unique<FCReferenceNetwork>();
    made->net = cv::dnn::readNetFromONNX(reinterpret_cast<const char *>(onnx), count);
    if (made->net.empty()) return nullptr;
    made->net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
    cv::setNumThreads(0);
    return made.release();
  } catch (const std::exception &) {
    return nullptr;
  }
}

void fcreference_destroy(FCReferenceNetwork *network) { delete network; }

bool fcreference_reads_narrow_maps(void) { return CV_VERSION_MAJOR == 4 && CV_VERSION_MINOR <= 6; }

bool fcreference_run(FCReferenceNetwork *network, const uint8_t *pixels, int32_t width, int32_t height) {
  try {
    const int shape[] = {1, 3, height, width};
    network->input.create(4, shape, CV_32F);
    // The authors' network takes planes of blue, green and red.
    for (int channel = 0; channel < 3; channel++) {
      float *plane = network->input.ptr<float>(0, channel);
      const size_t area = static_cast<size_t>(width) * static_cast<size_t>(height);
      for (size_t i = 0; i < area; i++) plane[i] = pixels[3 * i + static_cast<size_t>(2 - channel)];
    }
    network->net.setInput(network->input);
    network->net.forward(network->outputs, names);
    return true;
  } catch (const std::exception &) {
    return false;
  }
}

const float *fcreference_output(const FCReferenceNetwork *network, const char *name, size_t *count) {
  const auto place = std::find(names.begin(), names.end(), name);
  if (place == names.end() || network->outputs.size() != names.size()) return nullptr;
  const cv::Mat &output = network->outputs[static_cast<size_t>(place - names.begin())];
  *count = output.total();
  return output.ptr<float>();
}
