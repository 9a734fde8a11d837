#ifndef LOGGING_H
#define LOGGING_H
#include <chrono>
#include <iostream>
#include <mutex>
#include <sstream>

class Logger {
public:
	static Logger &get()
	{
		static Logger logger;
		return logger;
	}
	template <typename T>
	Logger &operator<<(const T &value)
	{
		std::lock_guard<std::mutex> lock(mutex_);
		stream_ << value;
		return *this;
	}

private:
	std::mutex mutex_;
	std::ostringstream stream_;
};
#define LOG() Logger::get()

struct Timer {
	std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
	~Timer() { LOG() << std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); }
};
#endif
