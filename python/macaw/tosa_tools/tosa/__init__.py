"""The classes of Arm's Python package `tosa` (tosa-tools) that read .tosa files, on Macaw's reader: those, and of those the methods,
that public programs use to read. A file of any version is read, and named with the numbers of TOSA 1.x; what is wrong with it is a
macaw.Error. Writing needs tosa-tools.

Used by pytorch/executorch (cff6f4d), backends/arm/test: misc/test_reshape_permute_5d_regression.py (shapes, operators, TransposeAttribute),
misc/test_process_node.py (types, data), misc/test_tosa_shape_node_visitors.py (operators, shapes), runner_utils.py (Version);
by arm/mlia's reader of .tosa files (regions, blocks, Location); and by Arm's TOSA adapter for Model Explorer (Inputs and Outputs of
a block, Shapes, AttributeType)."""
