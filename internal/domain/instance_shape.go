package domain

import (
	"slices"
	"strings"
)

// InstanceShape is a kind of machine that hosted agents run on.
type InstanceShape struct {
	Name         string // LINUX_AMD64_2X4
	MachineType  string // linux or macos
	Architecture string // amd64 or arm64
	CPU          int
	Memory       int // GB
}

// InstanceShapes are all shapes, by name.
var InstanceShapes = []InstanceShape{
	{"LINUX_AMD64_2X4", "linux", "amd64", 2, 4},
	{"LINUX_AMD64_4X16", "linux", "amd64", 4, 16},
	{"LINUX_AMD64_8X32", "linux", "amd64", 8, 32},
	{"LINUX_AMD64_16X64", "linux", "amd64", 16, 64},
	{"LINUX_AMD64_32X128", "linux", "amd64", 32, 128},
	{"LINUX_AMD64_64X256", "linux", "amd64", 64, 256},
	{"LINUX_ARM64_2X4", "linux", "arm64", 2, 4},
	{"LINUX_ARM64_4X16", "linux", "arm64", 4, 16},
	{"LINUX_ARM64_8X32", "linux", "arm64", 8, 32},
	{"LINUX_ARM64_16X64", "linux", "arm64", 16, 64},
	{"LINUX_ARM64_32X128", "linux", "arm64", 32, 128},
	{"LINUX_ARM64_64X256", "linux", "arm64", 64, 256},
	{"MACOS_ARM64_M4_6X28", "macos", "arm64", 6, 28},
	{"MACOS_ARM64_M4_12X56", "macos", "arm64", 12, 56},
}

// InstanceShapeByName returns the shape of that name.
func InstanceShapeByName(name string) (InstanceShape, bool) {
	i := slices.IndexFunc(InstanceShapes, func(s InstanceShape) bool { return s.Name == name })
	if i < 0 {
		return InstanceShape{}, false
	}
	return InstanceShapes[i], true
}

// InstanceShapeNames returns the names of all shapes, for messages.
func InstanceShapeNames() string {
	names := make([]string, len(InstanceShapes))
	for i, s := range InstanceShapes {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}

// MacOSVersions are the versions of macOS that hosted agents can run.
var MacOSVersions = []string{"GOLDEN_GATE", "SEQUOIA", "SONOMA", "TAHOE", "TAHOE_26_6", "TAHOE_SLIM"}

// usualMacOSVersion is the one that a queue gets for which none is chosen.
const usualMacOSVersion = "SEQUOIA"
