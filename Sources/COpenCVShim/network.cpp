#include "seam.hpp"

#include <opencv2/dnn.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

// YuNet's outputs: for each stride a grid of cells, each with a class score, an objectness, a box and five landmarks. The
// formulas are those of OpenCV 4.7, modules/objdetect/src/face_detect.cpp; version 4.6 has them for an older network only.

namespace {

constexpr int strides[] = {8, 16, 32};
constexpr int coarsest = 32;
/// Boxes that overlap by more than this part of their union are one face's.
constexpr float overlap = 0.3F;
/// Boxes that overlap by this part of their union mean the same face.
constexpr float sameFace = 0.6F;

int padded(int side) { return (side + coarsest - 1) / coarsest * coarsest; }

float value(const cv::Mat &output, size_t cell, size_t place) {
  return output.ptr<float>()[cell * static_cast<size_t>(output.size[output.dims - 1]) + place];
}

void decode(const std::vector<cv::Mat> &outputs, size_t scale, cv::Size size, float threshold,
            std::vector<FCNetworkFace> &faces) {
  const cv::Mat &classes = outputs[scale], &objects = outputs[3 + scale], &boxes = outputs[6 + scale];
  const cv::Mat &landmarks = outputs[9 + scale];
  const int stride = strides[scale], columns = size.width / stride, rows = size.height / stride;
  const auto cells = static_cast<size_t>(columns) * static_cast<size_t>(rows);
  if (classes.total() != cells || objects.total() != cells || boxes.total() != cells * 4 ||
      landmarks.total() != cells * 10) {
    CV_Error(cv::Error::StsUnmatchedSizes, "the network's outputs are not YuNet's");
  }
  for (size_t cell = 0; cell < cells; cell++) {
    const float likely = std::clamp(value(classes, cell, 0), 0.0F, 1.0F);
    const float score = std::sqrt(likely * std::clamp(value(objects, cell, 0), 0.0F, 1.0F));
    if (!(score >= threshold)) continue;
    const auto column = static_cast<float>(cell % static_cast<size_t>(columns));
    const auto row = static_cast<float>(cell / static_cast<size_t>(columns));
    const auto step = static_cast<float>(stride);
    FCNetworkFace face;
    face.score = score;
    face.width = std::exp(value(boxes, cell, 2)) * step;
    face.height = std::exp(value(boxes, cell, 3)) * step;
    face.x = (column + value(boxes, cell, 0)) * step - face.width / 2;
    face.y = (row + value(boxes, cell, 1)) * step - face.height / 2;
    for (size_t i = 0; i < 5; i++) {
      face.landmarks[2 * i] = (column + value(landmarks, cell, 2 * i)) * step;
      face.landmarks[2 * i + 1] = (row + value(landmarks, cell, 2 * i + 1)) * step;
    }
    const bool isFinite = std::isfinite(face.x) && std::isfinite(face.y) && std::isfinite(face.width) &&
                          std::isfinite(face.height);
    if (isFinite) faces.push_back(face);
  }
}

/// The picture as the network's input, 1 × 3 × height × width: planes of blue, green and red, 0 beside it. OpenCV's blobFromImage
/// takes three copies of the picture to come there.
void fill(cv::Mat &blob, cv::Size size, FCPicture picture) {
  CV_Assert(picture.channels == 3);
  const int shape[] = {1, 3, size.height, size.width};
  blob.create(4, shape, CV_32F);
  for (int channel = 0; channel < 3; channel++) {
    float *plane = blob.ptr<float>(0, channel);
    for (int y = 0; y < size.height; y++, plane += size.width) {
      if (y >= picture.height) {
        std::fill_n(plane, size.width, 0.0F);
        continue;
      }
      const uint8_t *row = picture.pixels + static_cast<size_t>(y) * picture.stride + (2 - channel);
      for (int x = 0; x < picture.width; x++) plane[x] = row[3 * static_cast<size_t>(x)];
      std::fill(plane + picture.width, plane + size.width, 0.0F);
    }
  }
}

cv::Rect2f box(const FCNetworkFace &face) { return {face.x, face.y, face.width, face.height}; }

/// The mean of the candidates that mean the same face as the best of them, weighted by their scores: neighboring cells err
/// in different directions (bounding box voting; S. Gidaris, N. Komodakis, "Object detection via a multi-region & semantic
/// segmentation-aware CNN model", 2015, 3.3).
FCNetworkFace voted(const FCNetworkFace &best, const std::vector<FCNetworkFace> &candidates) {
  FCNetworkFace mean{};
  float weights = 0;
  for (const auto &face : candidates) {
    const float common = (box(best) & box(face)).area();
    if (common < sameFace * (box(best).area() + box(face).area() - common)) continue;
    const float weight = face.score * face.score;
    weights += weight;
    mean.x += weight * face.x;
    mean.y += weight * face.y;
    mean.width += weight * face.width;
    mean.height += weight * face.height;
    for (size_t i = 0; i < 10; i++) mean.landmarks[i] += weight * face.landmarks[i];
  }
  if (!(weights > 0)) return best;
  for (float *value : {&mean.x, &mean.y, &mean.width, &mean.height}) *value /= weights;
  for (float &value : mean.landmarks) value /= weights;
  mean.score = best.score;
  return mean;
}

}  // namespace

struct FCNetwork {
  cv::dnn::Net net;
  /// Kept from call to call: the system takes as long to give their pages as some of the network's layers do.
  cv::Mat blob;
  std::vector<cv::Mat> outputs;
};

FCVisionStatus fcvision_network_create(const uint8_t *onnx, size_t count, FCNetwork **network,
                                       FCVisionMessage *message) {
  *network = nullptr;
  return guard(message, [&] {
    auto made = std::make_unique<FCNetwork>();
    try {
      made->net = cv::dnn::readNetFromONNX(reinterpret_cast<const char *>(onnx), count);
    } catch (const cv::Exception &) {
      // The importer's message speaks of its own source.
    }
    if (made->net.empty()) return FCVisionStatusCannotLoad;
    made->net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
    *network = made.release();
    return FCVisionStatusOk;
  });
}

void fcvision_network_destroy(FCNetwork *network) { delete network; }

FCVisionStatus fcvision_network_detect(FCNetwork *network, FCPicture picture, int32_t smallest, float threshold,
                                       FCNetworkFace *faces, size_t capacity, size_t *count,
                                       FCVisionMessage *message) {
  *count = 0;
  return guard(message, [&] {
    const cv::Size size(padded(std::max(picture.width, smallest)), padded(std::max(picture.height, smallest)));
    static const std::vector<std::string> names = {"cls_8",  "cls_16",  "cls_32",  "obj_8", "obj_16", "obj_32",
                                                   "bbox_8", "bbox_16", "bbox_32", "kps_8", "kps_16", "kps_32"};
    fill(network->blob, size, picture);
    network->net.setInput(network->blob);
    network->net.forward(network->outputs, names);

    std::vector<FCNetworkFace> found;
    for (size_t scale = 0; scale < 3; scale++) decode(network->outputs, scale, size, threshold, found);
    std::vector<cv::Rect2d> boxes;
    std::vector<float> scores;
    for (const auto &face : found) {
      boxes.emplace_back(face.x, face.y, face.width, face.height);
      scores.push_back(face.score);
    }
    std::vector<int> kept;
    cv::dnn::NMSBoxes(boxes, scores, threshold, overlap, kept);
    *count = std::min(kept.size(), capacity);
    for (size_t i = 0; i < *count; i++) faces[i] = voted(found[static_cast<size_t>(kept[i])], found);
    return FCVisionStatusOk;
  });
}
