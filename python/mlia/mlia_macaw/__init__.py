"""Macaw as a back end of MLIA: mlia check net.tflite -t ethos-u55-256 -b macaw --performance"""
