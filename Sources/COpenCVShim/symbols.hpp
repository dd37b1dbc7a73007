/// The mangled names of the OpenCV functions that the shim calls (`c++filt` decodes them), at every optimization level,
/// with and without sanitizers. A missing name is an undefined symbol at link time.
#pragma once

/// The symbols of libopencv_imgproc, and of libopencv_core, which it loads.
#define FCVISION_IMGPROC_SYMBOLS(USE) \
  USE(_ZN2cv10warpAffineERKNS_11_InputArrayERKNS_12_OutputArrayES2_NS_5Size_IiEEiiRKNS_7Scalar_IdEE) \
  USE(_ZN2cv11FileStorageC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEiS8_) \
  USE(_ZN2cv11FileStorageD1Ev) \
  USE(_ZN2cv11_InputArrayC1ERKNS_7MatExprE) \
  USE(_ZN2cv11cartToPolarERKNS_11_InputArrayES2_RKNS_12_OutputArrayES5_b) \
  USE(_ZN2cv11getTextSizeERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEidiPi) \
  USE(_ZN2cv11polarToCartERKNS_11_InputArrayES2_RKNS_12_OutputArrayES5_b) \
  USE(_ZN2cv12GaussianBlurERKNS_11_InputArrayERKNS_12_OutputArrayENS_5Size_IiEEddi) \
  USE(_ZN2cv13setNumThreadsEi) \
  USE(_ZN2cv14copyMakeBorderERKNS_11_InputArrayERKNS_12_OutputArrayEiiiiiRKNS_7Scalar_IdEE) \
  USE(_ZN2cv3MatC1ERKS0_RKNS_5Rect_IiEE) \
  USE(_ZN2cv3MatC1EiiiPvm) \
  USE(_ZN2cv3MatC1Ev) \
  USE(_ZN2cv3MatD1Ev) \
  USE(_ZN2cv3dftERKNS_11_InputArrayERKNS_12_OutputArrayEii) \
  USE(_ZN2cv3expERKNS_11_InputArrayERKNS_12_OutputArrayE) \
  USE(_ZN2cv3logERKNS_11_InputArrayERKNS_12_OutputArrayE) \
  USE(_ZN2cv3maxERKNS_3MatEd) \
  USE(_ZN2cv4blurERKNS_11_InputArrayERKNS_12_OutputArrayENS_5Size_IiEENS_6Point_IiEEi) \
  USE(_ZN2cv4idftERKNS_11_InputArrayERKNS_12_OutputArrayEii) \
  USE(_ZN2cv4meanERKNS_11_InputArrayES2_) \
  USE(_ZN2cv5errorEiRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEPKcS9_i) \
  USE(_ZN2cv5mergeERKNS_11_InputArrayERKNS_12_OutputArrayE) \
  USE(_ZN2cv5splitERKNS_11_InputArrayERKNS_12_OutputArrayE) \
  USE(_ZN2cv4lineERKNS_17_InputOutputArrayENS_6Point_IiEES4_RKNS_7Scalar_IdEEiii) \
  USE(_ZN2cv6circleERKNS_17_InputOutputArrayENS_6Point_IiEEiRKNS_7Scalar_IdEEiii) \
  USE(_ZN2cv6resizeERKNS_11_InputArrayERKNS_12_OutputArrayENS_5Size_IiEEddi) \
  USE(_ZN2cv7momentsERKNS_11_InputArrayEb) \
  USE(_ZN2cv7noArrayEv) \
  USE(_ZN2cv7putTextERKNS_17_InputOutputArrayERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENS_6Point_IiEEidNS_7Scalar_IdEEiib) \
  USE(_ZN2cv9rectangleERKNS_17_InputOutputArrayENS_5Rect_IiEERKNS_7Scalar_IdEEiii) \
  USE(_ZN2cvmiERKNS_3MatERKNS_7Scalar_IdEE) \
  USE(_ZN2cvmiERKNS_3MatES2_) \
  USE(_ZN2cvplERKNS_3MatERKNS_7Scalar_IdEE) \
  USE(_ZN2cvplERKNS_7MatExprES2_) \
  USE(_ZNK2cv11FileStorage20getFirstTopLevelNodeEv) \
  USE(_ZNK2cv11FileStorage8isOpenedEv) \
  USE(_ZNK2cv3Mat3mulERKNS_11_InputArrayEd) \
  USE(_ZNK2cv3Mat6copyToERKNS_12_OutputArrayE) \
  USE(_ZNK2cv3Mat9convertToERKNS_12_OutputArrayEidd)

#define FCVISION_OBJDETECT_SYMBOLS(USE) \
  USE(_ZN2cv17CascadeClassifier16detectMultiScaleERKNS_11_InputArrayERSt6vectorINS_5Rect_IiEESaIS6_EEdiiNS_5Size_IiEESB_) \
  USE(_ZN2cv17CascadeClassifier4readERKNS_8FileNodeE) \
  USE(_ZN2cv17CascadeClassifierC1Ev) \
  USE(_ZN2cv17CascadeClassifierD1Ev) \
  USE(_ZNK2cv17CascadeClassifier5emptyEv)
